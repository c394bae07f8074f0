"""Localization requests, validated before anything is sent."""

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from bot.domain.addresses import AddressFlaw, flaw_of, plain_host
from bot.domain.errors import PersonError
from bot.domain.localization.catalog import capability
from bot.domain.localization.declaration import CallOperation, Capability, Media, base_of, is_same, normal_format
from bot.domain.localization.detection import guess
from bot.domain.localization.languages import ENGLISH, label_of, written_in
from bot.domain.localization.pieces import MOST_CHARACTERS

SOURCE, TARGET = "source_lang", "target_lang"
_URL_LIMIT = 2_000
_ENDING = re.compile(r"[a-z0-9]{1,5}")
_NO_ADDRESS = "it isn't a link; a link begins with https://"
_ONLY_ENGLISH = "only English is understood here"
_NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to the service, with a text, an address or the id of a file in the workspace.

    For an operation on texts, ``file`` is a text file or a message of the workspace: see :func:`message_file`.
    """

    operation: CallOperation
    text: str = ""
    url: str = ""
    file: str = ""
    file_format: str = ""
    """Detected from the content; empty if unknown."""
    seconds: float | None = None
    options: Mapping[str, str] = field(default_factory=lambda: _NO_OPTIONS)

    @property
    def capability(self) -> Capability:
        return capability(self.operation)

    def complete(self) -> "Request":
        """Return a copy with all defaults, and with the source language if the text shows it."""
        filled = {one.name: one.default for one in self.capability.options if one.default}
        if self.capability.option(SOURCE) is not None:
            found = guess(self.text)
            # Transliteration only needs the script, whichever language is written in it.
            if found.is_sure or (written_in(self.text) and self.operation is CallOperation.TRANSLITERATION):
                filled[SOURCE] = found.language
        return replace(self, options=MappingProxyType({**filled, **self.options}))

    @property
    def guesses_source(self) -> bool:
        """Whether :meth:`complete` guesses the source language, because several languages use the text's script."""
        filled = SOURCE not in self.options and SOURCE in self.complete().options
        return filled and len(written_in(self.text)) != 1

    @property
    def lacks_source(self) -> bool:
        wanted = self.capability.option(SOURCE) is not None and bool(self.text.strip())
        return wanted and not self.options.get(SOURCE)


_MESSAGE = "message:"


def message_file(channel: str, ts: str, thread_ts: str) -> str:
    """Return a message as the ``file`` of a request; its text is read from Slack when the call starts."""
    return f"{_MESSAGE}{channel}:{ts}:{thread_ts}"


def message_of(file: str) -> tuple[str, str, str] | None:
    """Return channel, timestamp and thread (or empty) of such a message, or None for the id of a file."""
    if not file.startswith(_MESSAGE):
        return None
    channel, ts, thread_ts = file.removeprefix(_MESSAGE).split(":")
    return channel, ts, thread_ts


def request_errors(asked: Request, *, own_hosts: Collection[str] = ()) -> list[PersonError]:
    """Return all broken rules of the operation; ``own_hosts`` are the service's, which may be private."""
    declared, text, rule = asked.capability, asked.text, ""
    if declared.text_limit is None:
        rule = "this needs a link or a file, not a text" if text.strip() else ""
    elif not text.strip() and not asked.file:
        rule = "add a text"
    elif len(text) > MOST_CHARACTERS:
        rule = f"a text can have at most {MOST_CHARACTERS:,} characters; this has {len(text):,}"
    errors = [_text_error(rule, text if declared.text_limit is None else "")] if rule else []
    errors += _language_errors(asked)
    errors += _source_errors(asked, own_hosts)
    for name, value in asked.options.items():
        option = declared.option(name)
        if option is None:
            known = ", ".join(f"{one.word}=" for one in declared.options) or "none"
            rule = f"there is no option {name}=; there is {known}"
            errors.append(PersonError(argument=name, rule=rule, example=declared.verb, given=value))
            continue
        try:
            option.read(value)
        except PersonError as broken:
            errors.append(broken)
    return errors


def _language_errors(asked: Request) -> list[PersonError]:
    """Return errors about the languages of a request, as stated or detected."""
    if asked.capability.is_english:
        stated, rule = asked.options.get("language", ""), ""
        if stated and base_of(stated) != ENGLISH:
            return [PersonError(argument="language", rule=_ONLY_ENGLISH, example="English", given=label_of(stated))]
        found = guess(asked.text)
        if found.is_foreign and written_in(asked.text):
            rule = _ONLY_ENGLISH
        elif found.is_foreign and not stated:
            shown = label_of(found.language) if found.language else "another language"
            rule = f"{_ONLY_ENGLISH}, and this looks like {shown}; if it is English all the same, say so: language=en"
        return [_text_error(rule, asked.text)] if rule else []
    if asked.lacks_source:
        rule = "say which language the text is in; it does not show"
        return [PersonError(argument="from", rule=rule, example="English")]
    source, target = asked.options.get(SOURCE, ""), asked.options.get(TARGET, "")
    if source and target and is_same(source, target):
        rule = f"the text is in {label_of(source)} already; choose another language"
        return [PersonError(argument="to", rule=rule, example="French" if source != "fr" else "English", given=target)]
    return []


def _text_error(rule: str, given: str) -> PersonError:
    return PersonError(argument="text", rule=rule, example="The meeting was moved to Friday.", given=given)


def _source_errors(asked: Request, own_hosts: Collection[str]) -> list[PersonError]:
    media = asked.capability.media
    if media is None:
        given = asked.url
        rule = "this needs a text or a file, not a link"
        return [PersonError(argument="url", rule=rule, example=asked.capability.verb, given=given)] if given else []
    if asked.url and asked.file:
        return [source_error(media, "give a file or a link, not both", "")]
    if asked.file:
        return file_errors(media, kind=media.kind, found=asked.file_format, seconds=asked.seconds)
    if asked.url:
        return _url_errors(media, asked.url, own_hosts=own_hosts)
    return [source_error(media, f"add a link to {_article(media.noun)} {media.noun}, or a file", "")]


def source_error(media: Media, rule: str, given: str) -> PersonError:
    return PersonError(argument="url", rule=rule, example=f"https://example.com/sample.{media.formats[0]}", given=given)


def file_errors(media: Media, *, kind: str, found: str, seconds: float | None) -> list[PersonError]:
    """Return errors about a file of this kind, format (empty if unchecked) and duration (None if unknown)."""
    if found and not media.takes(kind, found):
        rule = f"it must be {_article(media.noun)} {media.noun}: {media.listed}"
        return [PersonError(argument="file", rule=rule, example=f"sample.{media.formats[0]}", given=found)]
    if media.max_seconds is not None and seconds is not None and seconds > media.max_seconds:
        rule = f"it must be at most {media.max_seconds} seconds long; this has {seconds:.0f}, so cut it into parts"
        return [PersonError(argument="file", rule=rule, example="")]
    return []


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def _url_errors(media: Media, url: str, *, own_hosts: Collection[str]) -> list[PersonError]:
    """Check an address that the service will download; a private one must be on this machine, like the service."""
    if len(url) > _URL_LIMIT:
        return [source_error(media, f"a link can have at most {_URL_LIMIT:,} characters", "")]
    own = {host for host in map(plain_host, own_hosts) if host is not None}
    flaw = flaw_of(url, own=own)
    if flaw is AddressFlaw.NO_ADDRESS:
        return [source_error(media, _NO_ADDRESS, url)]
    if flaw is AddressFlaw.CREDENTIALS:
        return [source_error(media, "a link can't hold a user name or a password", "")]
    parts = urlsplit(url)
    allowed = flaw is None or (is_here(parts.hostname or "") and any(map(is_here, own)))
    rule = "" if allowed else "it must be a public link; this address is private"
    name, _, ending = unquote(parts.path).rpartition("/")[2].rpartition(".")
    extension = normal_format(ending) if name else ""
    # Without a known extension, the service checks what it downloads.
    if media.is_closed and _ENDING.fullmatch(extension) and extension not in media.formats:
        rule = f"it must lead to {_article(media.noun)} {media.noun}: {media.listed}"
    return [source_error(media, rule, url)] if rule else []


def is_here(host: str) -> bool:
    plain = plain_host(host) or ""
    if plain == "localhost":
        return True
    try:
        return ipaddress.ip_address(plain).is_loopback
    except ValueError:
        return False
