"""Identifiers: ULIDs for rows, short references for people, and derived tokens for callback addresses."""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CLEAR = "23456789ABCDEFGHJKLMNPQRSTVWXYZ"
"""Excludes 0, 1, I, O and U, which are easily misread or could spell a word."""
_REFERENCE_LENGTH = 6
ADDRESSES_LIVE: Final = timedelta(days=90)


class Letter(StrEnum):
    """First letter of a reference. B was also used for bulk payments, and C for cancellations."""

    PAYOUT = "P"
    BULK = "L"
    CANCELLATION = "X"
    PURCHASE = "C"
    BOOKING = "B"
    PREBOOKING = "V"


OURS: Final = re.compile(
    rf"\s*(?:[{''.join(Letter)}]-[{_CLEAR}]{{{_REFERENCE_LENGTH}}}|[{_CROCKFORD}]{{26}})\s*", re.IGNORECASE
)
"""Matches a reference, id or code of ours."""
CARRIED: Final = re.compile(rf"(?<![\w-])[{''.join(Letter)}]-(?![0-9]+\b)[{_CLEAR}]{{{_REFERENCE_LENGTH}}}(?![\w-])")
"""Matches a reference of ours within a text, except for digits only, which may be another system's number."""
CARRIED_ROW: Final = re.compile(
    rf"(?<![\w-])({Letter.BULK}-[{_CLEAR}]{{{_REFERENCE_LENGTH}}})\s*/\s*([0-9]{{1,7}})(?![\w-])", re.IGNORECASE
)
"""Matches a bulk payment's reference with a row number, as in the note of each of its payments."""
PAYMENTS_CALLBACKS: Final = "/callbacks/payments"
"""Path of our callback addresses for the payments service, before the token."""

NAMED: Final = re.compile(
    rf"[{Letter.PAYOUT}{Letter.BULK}]-[{_CLEAR}]{{{_REFERENCE_LENGTH}}}(?:/[0-9]{{1,7}})?", re.IGNORECASE
)
"""A payout, a bulk payment or one of its rows, as named in our lists."""

_AROUND: Final = " \t\u00a0`'\"“”„«»‘’<>()[]"
_TYPED: Final = re.compile(
    rf"#?([{''.join(Letter)}])\s?[-_\u2010-\u2015\u2212]{{1,2}}\s?([{_CLEAR}]{{{_REFERENCE_LENGTH}}})", re.IGNORECASE
)
_BARE: Final = re.compile(rf"([{''.join(Letter)}]?)([{_CLEAR}]{{{_REFERENCE_LENGTH}}})", re.IGNORECASE)


def typed_reference(text: str) -> str:
    """Strip quotation marks and punctuation around a word, and normalize a reference of ours."""
    word = text.strip(_AROUND).rstrip(",;:").strip(_AROUND)
    bare = word.rstrip(".!?").strip(_AROUND)
    found = _TYPED.fullmatch(bare)
    if found is not None:
        return f"{found[1]}-{found[2]}".upper()
    return bare if _BARE.fullmatch(bare) else word


def without_letter(word: str) -> tuple[str, ...]:
    """Return the possible references for one typed without its letter or dash."""
    found = _BARE.fullmatch(word.strip())
    if found is None:
        return ()
    return tuple(f"{letter}-{found[2]}".upper() for letter in (found[1] or Letter))


def letter_of(word: str) -> Letter | None:
    """Return the kind of a reference by its letter; None for an id, a code, or anything else."""
    found = _TYPED.fullmatch(word.strip())
    return Letter(found[1].upper()) if found is not None else None


def ulid(now: datetime) -> str:
    """Return a 26-character ULID, sorted by time: 48 bits of milliseconds, 80 random bits (ulid/spec)."""
    number = (int(now.timestamp() * 1000) << 80) | secrets.randbits(80)
    return "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5))


def reference(letter: Letter) -> str:
    """Return a new short reference, e.g. ``P-4F7K2M``; the database ensures that it is unique."""
    return f"{letter}-" + "".join(secrets.choice(_CLEAR) for _ in range(_REFERENCE_LENGTH))


def callback_token(*, key: bytes, instruction_id: str, kind: str) -> str:
    """Return the 256-bit secret of a callback address, derived so that a repeated create uses the same one."""
    seal = hmac.new(key, f"callback|{kind}|{instruction_id}".encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(seal).rstrip(b"=").decode()


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def derived_key(secret: str, purpose: str) -> bytes:
    """Derive a separate key for each purpose, so that leaking one does not expose another."""
    return hmac.new(secret.encode(), f"switchboard|{purpose}".encode(), hashlib.sha256).digest()


_SHORTEST = 16
_FEWEST = 8
"""Minimum of distinct characters; one in ten thousand keys of 16 random hexadecimal digits has fewer."""
_FILLERS = re.compile(
    r"(?:change|replace|put|insert|me|this|here|your|my|our|the|secret|key|keys|password|passwd|pass|token|"
    r"example|sample|default|dev|development|prod|production|test|testing|sandbox|switchboard|django|insecure|"
    r"[\W_]|\d{1,4}(?!\d))+",
    re.IGNORECASE,
)


def why_weak(key: str) -> str:
    """Return the rule that a key breaks, without quoting the key, or an empty string."""
    if len(key) < _SHORTEST:
        return f"must have at least {_SHORTEST} characters"
    if len(set(key)) < _FEWEST or key in (key + key)[1:-1]:
        return "must not be the same few characters again and again"
    if _FILLERS.fullmatch(key):
        return "must not be made of words such as secret, key and changeme"
    return ""
