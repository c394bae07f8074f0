"""Bolt with one listener for each kind of request; names are looked up in the router's tables.

Both transports end here: HTTP hands over bodies it has verified and parsed itself (``slack_http.py``), Socket Mode
hands over envelopes. Work is stored before the ack is sent, so every listener catches everything, with one answer
for each kind of error: an exception after ``ack`` would revoke the ack.
"""

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from traceback import walk_tb
from typing import Any, TypeVar

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.approvals import No, Role, in_role
from bot.domain.content import Content
from bot.domain.errors import OperatorError, PersonError, ServiceNow, ServiceTrouble, SwitchboardError
from bot.domain.files.dropped import UnusableFile
from bot.domain.text import without_unstorable
from bot.presentation import answers
from bot.presentation.blocks.text import quote
from bot.presentation.files import offers
from bot.presentation.payments.answers import never_approved
from bot.presentation.reasons import sentence, told
from bot.presentation.views import notice, result
from bot.slack.messenger import Listener
from bot.slack.people import BotIdentity, Denied
from bot.workflows.requests.reach import OutOfReachError
from handlers.incoming import Click, Command, Shortcut, Submission, UnreadableError, reading
from handlers.replies import (
    Answer,
    DeclinedError,
    Edit,
    FieldErrors,
    Later,
    MistakesError,
    Nothing,
    Open,
    Private,
    Replace,
    Reply,
)
from handlers.router import Dependencies, Router
from storage.errors import CommitUnknown, RowUnreadable, StorageError, StorageFull, StorageReadOnly

log = structlog.get_logger(__name__)

R = TypeVar("R", bound=Reply)
L = TypeVar("L", bound=Answer | Open | FieldErrors)
Deliver = Callable[[Answer | Open | FieldErrors], Awaitable[None]]

_EVERYTHING = re.compile(".*", re.DOTALL)
_OURS = frozenset({"bot", "handlers", "storage"})
HANDLER_TOTAL = 2.6
"""Seconds of Slack's three that a handler may take before the user gets a notice that it takes longer."""
MOMENT = 1.0
"""Seconds of them to wait for a late answer, so that a quick service needs no interim message."""
_EARLIER = 0.8
"""The part of a handler's time after which it is too late to open a form about it."""
_AFTER_ACK = 0.3
"""Seconds between ack and late answer; otherwise the ack could overwrite the answer in Slack."""
_FAREWELL = 2.0
"""Seconds for the last answers of a process that stops."""


def build(
    *,
    client: AsyncWebClient,
    token: str,
    identity: BotIdentity,
    deps: Dependencies,
    router: Router,
    patience: float = HANDLER_TOTAL,
    moment: float = MOMENT,
) -> AsyncApp:
    """The Bolt application. It never calls ``auth.test``: the identity was read once, at start."""
    known = AuthorizeResult(
        enterprise_id=identity.enterprise_id,
        team_id=identity.team_id,
        bot_token=token,
        bot_id=identity.bot_id,
        bot_user_id=identity.bot_user_id,
    )

    async def authorize() -> AuthorizeResult:
        return known

    # Bolt warns at every start about a token beside ``authorize``; the token is intended, for the calls.
    logger = logging.getLogger("slack_bolt.AsyncApp")
    logger.setLevel(logging.ERROR)
    app = AsyncApp(
        name="switchboard",  # without one, Bolt reads the source of every caller to find it: 25 ms
        logger=logger,
        client=client,
        authorize=authorize,
        process_before_response=True,
        request_verification_enabled=False,
        ssl_check_enabled=False,
        url_verification_enabled=True,
        attaching_function_token_enabled=False,
        raise_error_for_unhandled_request=True,
    )
    app.error(_answer_anyway)
    app.middleware(Pin(identity))
    listeners = _Listeners(deps=deps, router=router, patience=patience, moment=moment)
    app.action(_EVERYTHING)(listeners.action)  # first: Bolt tries listeners in order, and votes come in bursts
    app.command(_EVERYTHING)(listeners.command)
    app.view_submission(_EVERYTHING)(listeners.submission)
    app.view_closed(_EVERYTHING)(listeners.acknowledge)
    app.event(_EVERYTHING)(listeners.event)
    app.shortcut(_EVERYTHING)(listeners.shortcut)
    app.options(_EVERYTHING)(listeners.acknowledge)
    return app


async def dispatched(
    app: AsyncApp, *, body: dict[str, Any], headers: dict[str, str | Sequence[str]] | None
) -> BoltResponse:
    """Have Bolt handle a body of either transport, without what no database holds; answer an unreadable one, too."""
    try:
        sound = without_unstorable(body)
        return await app.async_dispatch(AsyncBoltRequest(body=sound, headers=headers, mode="socket_mode"))
    except Exception as odd:  # noqa: BLE001 - Bolt stumbles over shapes that Slack does not send, before anything of ours
        _ignored(type(odd).__name__)
        return BoltResponse(status=200, body="")


def _ignored(stumbled: str) -> None:
    log.warning("ignored a payload of an impossible shape", stumbled=stumbled)


class UnstoredEventError(Exception):
    """An event could not be stored; Slack sends it again when it is not acknowledged."""


async def _answer_anyway(error: Exception) -> BoltResponse:
    """Answer every signed request with 200: on other codes Slack retries, and in the end stops sending."""
    if isinstance(error, UnstoredEventError):
        return BoltResponse(status=503, body="")
    if isinstance(error, BoltUnhandledRequestError):
        log.info("payload without a handler")
    elif isinstance(error, UnreadableError):
        _ignored(str(error))
    elif _OURS.isdisjoint(
        str(one.f_globals.get("__name__")).partition(".")[0] for one, _ in walk_tb(error.__traceback__)
    ):
        _ignored(type(error).__name__)  # not raised in our code: Bolt failed while it looked for the listener
    else:
        log.error("a request could not be read", exc_info=error)
    return BoltResponse(status=200, body="")


class Pin(AsyncMiddleware):
    """Middleware that answers a signed request of another workspace, organization or app without effect."""

    def __init__(self, home: BotIdentity) -> None:
        self._home = home

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,  # noqa: ARG002 - the library's signature
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 - the library's name
    ) -> BoltResponse | None:
        body = req.body
        with reading():
            # In a channel shared with another company, an event carries the workspace where it happened, which may be
            # the other company's. Its authorizations name the installation that may see it; so does a form.
            authorizations = body.get("authorizations")
            if authorizations:
                team, enterprise = authorizations[0].get("team_id"), authorizations[0].get("enterprise_id")
            else:
                installed = (body.get("view") or {}).get("app_installed_team_id")
                team = installed or body.get("team_id") or (body.get("team") or {}).get("id")
                enterprise = body.get("enterprise_id") or (body.get("enterprise") or {}).get("id")
        ours, app = self._home.enterprise_id, body.get("api_app_id")
        elsewhere = team != self._home.team_id or (ours and enterprise and enterprise != ours)
        if elsewhere or (app and self._home.app_id and app != self._home.app_id):
            log.warning(
                "ignored a request of another workspace", team=str(team), enterprise=str(enterprise), app=str(app)
            )
            return BoltResponse(status=200, body="")
        return await next()


@dataclass(kw_only=True)
class _Listeners:
    """The listeners registered with Bolt; each runs one handler and turns its reply into an ack."""

    deps: Dependencies
    router: Router
    patience: float
    moment: float

    async def command(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Slash commands: the answer is the ack itself, visible only to the requester."""
        with reading():
            command = Command.read(body)
        handler = self.router.commands.get(command.name)
        asker = Listener(response_url=command.response_url, channel=command.channel, user=command.user)
        answer: Answer
        if handler is None:
            answer = Private(answers.unknown_command(command.name))
        elif wait := self.deps.allowance.take(command.user):
            answer = Private(answers.too_many(wait))
        else:
            answer = await self._answer(handler(self.deps, command), command.trigger_id, asker)
        if isinstance(answer, Private) and not answer.content.plainer:
            message: dict[str, Any] = {"text": answer.content.text, "response_type": "ephemeral"}
            if answer.content.blocks:
                message["blocks"] = list(answer.content.blocks)
            await ack(**message)
            return
        # An ack gets no error for refused blocks; a response URL does.
        self.deps.ephemerals.begin(self._tell(answer, asker))
        await ack()

    async def action(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        if body.get("type") != "block_actions" or not body.get("actions"):  # legacy attachments and dialogs
            await ack()
            return
        with reading():
            click = Click.read(body)
        handler = self.router.actions.get(click.action_id.partition(":")[0])  # behind a colon: a field drawn anew
        if handler is not None:
            asker = Listener(
                response_url=click.response_url, channel=click.channel, user=click.user, thread_ts=click.thread_ts
            )
            handling = handler(self.deps, click)
            handling = self._at_home(handling, click.user) if click.at_home else handling
            answer = await self._answer(handling, click.trigger_id, asker, inside=click.view_id)
            if click.view_id:
                self.deps.ephemerals.begin(self._turn(click.view_id, answer))
            elif isinstance(answer, Private | Edit):
                self.deps.ephemerals.tell(answer.content, to=asker, replace=isinstance(answer, Edit))
        await ack()

    async def shortcut(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        with reading():
            used = Shortcut.read(body)
        handler = self.router.shortcuts.get(used.callback_id)
        if handler is not None:
            # The first message of a thread is read in the channel, so the answer goes there.
            thread_ts = used.thread_ts if used.thread_ts != used.ts else ""
            asker = Listener(response_url=used.response_url, channel=used.channel, user=used.user, thread_ts=thread_ts)
            wait = self.deps.allowance.take(used.user)
            late = Private(answers.too_many(wait)) if wait else None
            answer = late or await self._answer(handler(self.deps, used), used.trigger_id, asker)
            self.deps.ephemerals.begin(self._tell(answer, asker))
        await ack()

    async def submission(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        with reading():
            form = Submission.read(body)
        handler = self.router.views.get(form.callback_id)
        if handler is None:
            await ack()
            return
        reply = await self._reply(handler(self.deps, form), lambda late: self._turn(form.view_id, late), form.user)
        if isinstance(reply, FieldErrors):
            await ack(response_action="errors", errors=dict(reply.errors))
            return
        view = _view(reply)
        await ack() if view is None else await ack(response_action="update", view=view)

    async def event(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Events: all are acknowledged except those that could not be stored, which Slack sends again."""
        with reading():
            handler = self.router.events.get(str(body["event"].get("type", "")))
        stored = True

        async def work(handling: Awaitable[None]) -> Reply:
            nonlocal stored
            try:
                await handling
            except UnreadableError as odd:
                _ignored(str(odd))
            except (StorageError, asyncio.CancelledError):
                stored = False
                raise
            return Nothing()

        if handler is not None:
            await self._safely(work(handler(self.deps, body)), "", patience=self.patience)
        if not stored:
            raise UnstoredEventError
        await ack()

    async def acknowledge(self, ack: AsyncAck) -> None:
        await ack()

    async def _answer(
        self, handling: Awaitable[Reply], trigger_id: str, asker: Listener, *, inside: str = ""
    ) -> Answer:
        """``inside``: id of the form whose button was pressed, which turns into the answer."""
        loop = asyncio.get_running_loop()
        begun, form = loop.time(), loop.create_future()

        async def deliver(late: Answer | Open | FieldErrors) -> None:
            view_id = await form or inside
            await (self._turn(view_id, late) if view_id else self._tell(late, asker))

        reply = await self._reply(handling, deliver, asker.user)
        if isinstance(reply, Open):
            opening = self._open(reply, trigger_id, form)
            left = begun + self.patience - loop.time()
            return await self._beside(opening, left, Nothing(), lambda late: self._tell(late, asker), asker.user)
        form.set_result("")
        if isinstance(reply, FieldErrors):
            return Private(answers.trouble(" ".join(reply.errors.values())))
        return reply

    async def _open(self, reply: Open, trigger_id: str, form: "asyncio.Future[str]") -> Answer:
        """Open a form. ``form`` gets its id, or an empty one, for a later update."""
        view_id = ""
        try:
            view_id = await self.deps.messenger.open_view(trigger_id=trigger_id, view=reply.view)
        except ServiceTrouble as refused:
            log.warning("a form could not be opened", reason=str(refused))
            return Private(answers.try_again("Slack did not open the form."))
        finally:
            form.set_result(view_id)
        return Nothing()

    async def _at_home(self, handling: Awaitable[Reply], user: str) -> Reply:
        """An App Home shows no private message: what is said there is said in a small form."""
        reply = await self._safely(handling, user, patience=self.patience * _EARLIER)
        view = _view(Private(reply.content)) if isinstance(reply, Private | Edit) else None
        return reply if view is None else Open(view)

    async def _reply(self, handling: Awaitable[Reply], deliver: Deliver, user: str) -> Answer | Open | FieldErrors:
        begun = asyncio.get_running_loop().time()
        reply = await self._safely(handling, user, patience=self.patience)
        if not isinstance(reply, Later):
            return reply
        left = begun + self.patience - asyncio.get_running_loop().time()
        return await self._beside(reply.work(), min(self.moment, left), reply.meanwhile, deliver, user)

    async def _beside(
        self, work: Awaitable[L], seconds: float, meanwhile: L, deliver: Deliver, user: str
    ) -> L | Private:
        """The answer of ``work`` if it comes in time; else ``meanwhile``, and the answer is delivered when it comes."""
        running = self.deps.ephemerals.begin(self._safely(work, user, patience=None))
        done, _ = await asyncio.wait({running}, timeout=max(seconds, 0.0))
        if done:
            return running.result()

        async def deliver_late() -> None:
            try:
                reply, _ = await asyncio.gather(running, asyncio.sleep(_AFTER_ACK))
            except asyncio.CancelledError:
                # The process stops: users who wait are asked to try again.
                with suppress(TimeoutError):
                    async with asyncio.timeout(_FAREWELL):
                        await deliver(Private(answers.INTERRUPTED))
                raise
            await deliver(reply)

        self.deps.ephemerals.begin(deliver_late())
        return meanwhile

    async def _tell(self, reply: Answer | Open | FieldErrors, asker: Listener) -> None:
        if isinstance(reply, Private | Edit):
            await self.deps.ephemerals.say(reply.content, to=asker, replace=isinstance(reply, Edit))

    async def _turn(self, view_id: str, reply: Answer | Open | FieldErrors) -> None:
        view = _view(reply)
        if view is None:
            return
        try:
            await self.deps.messenger.update_view(view_id=view_id, view=view)
        except ServiceTrouble as refused:
            # Usually the user has closed the form and expects no answer.
            log.info("a form was not updated", reason=str(refused))

    async def _safely(self, handling: Awaitable[R], user: str, *, patience: float | None) -> R | Private:
        try:
            async with asyncio.timeout(patience):
                return await handling
        except Exception as error:  # noqa: BLE001 - the last place that can answer
            for_admin = isinstance(error, OperatorError) and await self._is_admin(user)
            return Private(answer_to(error, command=self.deps.spelled("pay"), for_admin=for_admin))

    async def _is_admin(self, user: str) -> bool:
        people, home = self.deps.ctx.policy.people, self.deps.ctx.home
        with suppress(SwitchboardError, TimeoutError):
            standing = await self.deps.ctx.people.standing(user)
            return in_role(standing, (Role.ADMIN,), No.NOT_ADMIN, people=people, home=home) is None
        return False


def _view(reply: Answer | Open | FieldErrors) -> dict[str, Any] | None:
    """The view that replaces a form; None: the form closes."""
    match reply:
        case Replace(view=view) | Open(view=view):
            return view
        case FieldErrors(errors=errors):  # a late answer: the fields are no longer there
            return notice("Switchboard", answers.trouble(" ".join(errors.values())).text)
        case Private(content=content) if content.blocks:
            return result("Switchboard", content.plainer or content.blocks)  # forms support fewer blocks than messages
        case Private(content=content):
            return notice("Switchboard", content.text)
        case _:
            return None


def answer_to(error: Exception, *, command: str, for_admin: bool = False) -> Content:  # noqa: C901, PLR0911, PLR0912 - one arm a trouble
    """The answer; what the operator has to know is logged. ``command``: how users type the payments command here."""
    match error:
        case DeclinedError(content=content):
            return content
        case MistakesError(errors=errors, offers=meant):
            return answers.mistakes(errors, meant)
        case OutOfReachError(short=short):
            return never_approved(short)
        case UnusableFile():
            return offers.unusable(error)
        case PersonError():
            return answers.mistakes([error])
        case Denied():
            log.error("Slack refuses what a request needs", reason=str(error))
            return answers.pass_on(f"{error.service} {quote(told(error))}.")
        case ServiceNow():
            log.warning("a request could not be handled", reason=str(error))
            return answers.try_again(f"{error.service} {told(error)}.")
        case RowUnreadable(name=name):
            log.error("a request needs a row that cannot be read", reason=str(error))
            return answers.unreadable(name)
        case CommitUnknown():
            log.error("a request may or may not have been stored", reason=str(error))
            return answers.uncertain(command)
        case StorageFull():
            log.error("a request could not be stored", problem=error.problem, mend=error.mend)
            return answers.STORAGE_FULL
        case StorageReadOnly():
            log.error("a request could not be stored", problem=error.problem, mend=error.mend)
            return answers.NOT_STORED
        case StorageError():
            log.warning("a request could not be stored", reason=str(error))
            return answers.try_again("The database is busy.")
        case OperatorError():
            log.error("operator action needed", problem=str(error), mend=error.mend)
            return answers.trouble(sentence(error, for_admin=for_admin))
        case TimeoutError():
            return answers.uncertain(command, slow=True)
        case _:
            error_id = secrets.token_hex(4)
            log.error("a handler failed", error_id=error_id, exc_info=error)
            return answers.broken(error_id)
