"""Client of the content localization service: sends a request once and returns its outcome."""

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Final
from urllib.parse import urljoin

from pydantic import SecretStr

from bot.clients.calls import RESTS
from bot.clients.circuit import Circuit
from bot.clients.localization.wire import extension_of, holds_nothing, other_addresses, read_result
from bot.clients.multipart import Upload, UploadTrouble, make_form
from bot.clients.routes import Route, RouteTable
from bot.clients.transport import Guard, PreparedRequest, Sink, Transport, dump_json, read_reply
from bot.clients.unread import AnswerObserver, TracedReader, Unfit, tell
from bot.domain.localization.request import Request, request_errors
from bot.domain.localization.results import SOUNDS, Kept, Result, Track, Tracks
from bot.domain.outcome import NO_JSON, Done, NotExecuted, Reply, Unknown, classify, is_complaint, read_error
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import one_line

SERVICE: Final = "localization"

_REFUSALS: Final[Mapping[int, Exchange]] = {
    402: Exchange.PAYMENT_REQUIRED, 405: Exchange.METHOD_UNKNOWN, 410: Exchange.GONE, 411: Exchange.PLAIN_REFUSAL,
    413: Exchange.FILE_TOO_LARGE, 414: Exchange.ADDRESS_TOO_LONG, 415: Exchange.KIND_OF_FILE,
    431: Exchange.PLAIN_REFUSAL,
}  # fmt: skip
"""Statuses that prove nothing was done, in addition to those of ``classify``."""
_SUBTYPES: Final[Mapping[str, str]] = {
    "mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav", "mp4": "m4a", "x-m4a": "m4a", "x-flac": "flac",
    "x-aiff": "aiff", "aacp": "aac",
}  # fmt: skip
"""Content subtypes that differ from the format's name."""
_MEDIA: Final = ("audio/", "video/", "application/octet-stream", "binary/octet-stream")

Outcome = Done[Result] | Kept | NotExecuted | Unknown


class LocalizationClient:
    """Client of the service. ``own_hosts``: private hosts that a request's ``url`` may name.

    ``key`` is sent as a Bearer token, only to the configured address. ``texts``: transport for requests without media;
    ``media``: transport whose time-out between two reads is the documented ten minutes.
    """

    def __init__(
        self,
        *,
        routes: RouteTable,
        texts: Transport,
        media: Transport,
        key: SecretStr,
        own_hosts: Collection[str] = (),
        answers: AnswerObserver | None = None,
    ) -> None:
        self._answers = answers
        self._routes = routes
        self._texts = texts
        self._media = media
        self._key = key
        self.own_hosts = frozenset(own_hosts)

    @property
    def circuit(self) -> Circuit:
        """State of the service. It has no reads without effect, so real calls are the probes."""
        return self._texts.circuit

    async def run(
        self, asked: Request, *, upload: Upload | None = None, sink: Sink | None = None, guard: Guard | None = None
    ) -> Outcome:
        """Send one request once; ``asked`` must have all options filled in by ``Request.complete``.

        ``Done``: a track without an address is in the sink, which receives media sent as the answer itself. ``Kept``:
        it was done, but (part of) the answer has unknown field names; see :meth:`read_again`. ``Unknown``: it may have
        been done and billed; never resend it without a person's request.

        Raises:
            PersonError: ``asked`` breaks a rule of the operation; nothing was sent.
            UploadTrouble: the file couldn't be read to its end, so the request was truncated.
        """
        for error in request_errors(asked, own_hosts=self.own_hosts):
            raise error
        if bool(asked.file) != (upload is not None):
            raise ValueError("a request with a file needs the file, and only such a one")
        route = self._routes.use(SERVICE, asked.operation.value)
        request = self._prepare(route, asked, upload)
        is_text = asked.capability.media is None and not asked.capability.streams
        transport = self._texts if is_text else self._media
        poured = _Poured(sink) if sink is not None and asked.capability.streams else None
        with transport.circuit.reading() as may_ask:
            if not may_ask:
                return RESTS
            reply = await transport.send(request, sink=poured, guard=guard, counts=False)
        if upload is not None and upload.trouble is not None and reply.status is None:
            raise UploadTrouble(upload.trouble) from upload.trouble
        if poured is not None and poured.content_type and reply.is_success:
            kind = poured.content_type.partition(";")[0].strip().partition("/")[2]
            extension = _SUBTYPES.get(kind, kind if kind in SOUNDS else extension_of(asked))
            return Done(value=Tracks(tracks=(Track(name="audio", url="", extension=extension),)))
        return self._outcome(asked, route, reply)

    def read_again(self, asked: Request, answer: str) -> Outcome:
        """Read a kept answer again with the current route table. Sends nothing."""
        route = self._routes.use(SERVICE, asked.operation.value)
        reply = read_reply(status=HTTPStatus.OK, headers={}, body=answer.encode())
        return self._outcome(asked, route, reply, again=True)

    def _prepare(self, route: Route, asked: Request, upload: Upload | None) -> PreparedRequest:
        """Build the request's form under the service's names, without empty fields."""
        media = asked.capability.media
        sent = {one.name for one in asked.capability.options if one.is_sent}
        ours: dict[str, object] = {"text": asked.text or None}
        ours |= {name: value for name, value in asked.options.items() if name in sent}
        if media is not None:
            ours[media.url] = asked.url or None
        fields = {name: str(value) for name, value in route.named(ours).items()}
        form = make_form(fields, None if upload is None or media is None else (route.fields[media.file], upload))
        return PreparedRequest(
            operation=route.name,
            method=route.method,
            path=route.address(),
            headers={
                "Authorization": f"Bearer {self._key.get_secret_value()}",
                "Accept": "application/json, audio/*;q=0.9, */*;q=0.5",
                "Content-Type": form.content_type,
            },
            body=form,
        )

    def _outcome(self, asked: Request, route: Route, reply: Reply, *, again: bool = False) -> Outcome:
        refused, said = _REFUSALS.get(reply.status or 0), read_error(reply, route.ours)
        if refused is not None:
            reason = Reason(refused, status=reply.status)
            return NotExecuted(again=False, reason=reason, words=said.words, detail=said.whole, status=reply.status)
        if reply.is_success and reply.text and reply.headers.get("content-type", "text/").startswith("text/"):
            reply = replace(reply, json=reply.text)
        reading = TracedReader(lambda document: _read_by(asked, document, route))
        outcome = classify(reply, read=reading, earlier_unknown=False, names=route.ours)
        body = reply.json
        if isinstance(outcome, Unknown) and is_complaint(reply):  # with status 200
            reason = Reason(Exchange.REFUSED, status=None, fields=())
            return NotExecuted(again=False, reason=reason, words=said.words, detail=said.whole, status=200)
        found = outcome.value if isinstance(outcome, Done) and isinstance(outcome.value, Tracks) else None
        lacking: list[tuple[str, ...]] = []
        if found is not None and other_addresses(body, found.tracks):  # one may be the missing track
            lacking = [route.reply[name] for name in found.missing]
        unread = isinstance(outcome, Unknown) and reply.is_success and body is not NO_JSON
        trouble = Unfit("a part is missing", body, *lacking) if lacking else reading.trouble
        is_bare = not isinstance(body, dict | list) and not other_addresses(body, ())
        nothing = is_bare or holds_nothing(body)  # other field names wouldn't help
        if isinstance(outcome, Unknown) and unread and nothing:
            trouble, outcome = (
                Unfit("no result"),
                replace(outcome, words=outcome.words or (_told(body) if body else "")),
            )
        was_read = reading.was_read and not lacking
        if was_read or not again:  # report an unreadable answer only the first time
            read = partial(_read_by, asked)
            tell(self._answers, reply, route, was_read=was_read, trouble=trouble, read=read)
        if found is not None:
            base = self._media.address("/")  # a bare path is relative to the service
            tracks = (replace(track, url=urljoin(base, track.url) if track.url else "") for track in found.tracks)
            outcome = Done(value=(found := replace(found, tracks=tuple(tracks))))
        if lacking or (unread and not nothing):
            with suppress(RecursionError):  # too deeply nested to serialize
                return Kept(reason=Reason(Exchange.UNEXPECTED, status=reply.status), answer=dump_json(body), read=found)
        return outcome


def _read_by(asked: Request, document: object, route: Route) -> Result:
    return read_result(asked, route.reply, document)


def _told(body: object) -> str:
    """Return an answer without a result as one line: ``job_id: 7, status: queued``."""
    return one_line(re.sub(r'[][{}"]', "", json.dumps(body, default=str, ensure_ascii=False)))


class _Poured:
    """Sink for media that records their content type."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.content_type = ""

    def wants(self, content_type: str) -> bool:
        if content_type.startswith(_MEDIA) and self._sink.wants(content_type):
            self.content_type = content_type
            return True
        return False

    async def write(self, chunk: bytes) -> bool:
        return await self._sink.write(chunk)
