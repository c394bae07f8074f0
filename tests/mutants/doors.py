"""What comes in, what goes out, and how fast."""

from tests.mutants.mutant import Mutant

_SIGNATURE = ("tests/slack/test_signature.py",)
_LIMITER = ("tests/clients/test_limiter.py",)
_DOWNLOADS = ("tests/slack/test_downloads.py",)

MUTANTS = (
    Mutant(
        name="an old signature is good for an hour",
        file="bot/slack/signature.py",
        old="LONGEST_AGE = 300",
        new="LONGEST_AGE = 3600",
        breaks="a captured request is worth five minutes",
        tests=_SIGNATURE,
    ),
    Mutant(
        name="a signature from the future is good",
        file="bot/slack/signature.py",
        old="abs(now - int(timestamp)) <= LONGEST_AGE",
        new="now - int(timestamp) <= LONGEST_AGE",
        breaks="time stamps may differ five minutes either way",
        tests=_SIGNATURE,
    ),
    Mutant(
        name="the body is not signed",
        file="bot/slack/signature.py",
        old='signed = b":".join((b"v0", timestamp.encode(), body))',
        new='signed = b":".join((b"v0", timestamp.encode(), body[:1]))',
        breaks="nothing acts that Slack did not sign",
        tests=_SIGNATURE,
    ),
    Mutant(
        name="the window of the limit is halved",
        file="bot/clients/limiter.py",
        old="        window: float = 1.02,",
        new="        window: float = 0.51,",
        breaks="never more than ten requests in a second",
        tests=_LIMITER,
    ),
    Mutant(
        name="a request that left is not counted",
        file="bot/clients/limiter.py",
        old="        self._leaving.pop()\n        self._sent.append(self._clock())\n",
        new="        self._leaving.pop()\n",
        breaks="never more than ten requests in a second",
        tests=_LIMITER,
    ),
    Mutant(
        name="the token goes to Slack in the clear",
        file="bot/slack/downloads.py",
        old='parts.scheme == "https" and port in (None, 443)',
        new="port in (None, 443)",
        breaks="the token leaves encrypted only",
        tests=_DOWNLOADS,
    ),
    Mutant(
        name="half a file is taken for the whole",
        file="bot/slack/downloads.py",
        old="            if self._arrived != self.size:",
        new="            if self._arrived > self.size:",
        breaks="a file is what its record says",
        tests=_DOWNLOADS,
    ),
    Mutant(
        name="foreign text may call people",
        file="bot/presentation/text.py",
        old='.replace("<", "&lt;")',
        new="",
        breaks="nothing in foreign text mentions or links",
        tests=("tests/presentation/test_text.py",),
    ),
    Mutant(
        name="a formula reaches the spreadsheet",
        file="bot/tables/writing.py",
        old="        writer.writerows([neutral(cell) for cell in row] for row in rows)",
        new="        writer.writerows(rows)",
        breaks="no table that we hand back runs anything",
        tests=("tests/tables/test_writing.py",),
    ),
)
