"""Bolt application with one listener per kind of request; handlers are looked up by name in the router's tables.

Both transports end here: HTTP passes bodies that it has verified and parsed (``slack_http.py``), Socket Mode passes
envelopes. Work is stored before the ack, so every listener catches all errors and answers them by type: an exception
after ``ack`` would revoke the ack.
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
"""Seconds of Slack's three that a handler may take before the user gets an interim notice."""
MOMENT = 1.0
"""Seconds of them to wait for an answer, so that a quick service needs no interim message."""
_EARLIER = 0.8
"""Fraction of a handler's time after which it is too late to open a form with its answer."""
_AFTER_ACK = 0.3
"""Seconds between ack and late answer; otherwise the ack could overwrite the answer in Slack."""
_FAREWELL = 2.0
"""Seconds for the last answers during shutdown."""


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
    """Build the Bolt application. It never calls ``auth.test``, because the identity was read at start."""
    known = AuthorizeResult(
        enterprise_id=identity.enterprise_id,
        team_id=identity.team_id,
        bot_token=token,
        bot_id=identity.bot_id,
        bot_user_id=identity.bot_user_id,
    )

    async def authorize() -> AuthorizeResult:
        return known

    # Bolt warns at every start about a token in addition to ``authorize``; its client needs the token for calls.
    logger = logging.getLogger("slack_bolt.AsyncApp")
    logger.setLevel(logging.ERROR)
    app = AsyncApp(
        name="switchboard",  # without a name, Bolt searches the callers' source for one: 25 ms
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
    """Have Bolt handle a body of either transport, with unstorable characters removed; answers malformed ones, too."""
    try:
        sound = without_unstorable(body)
        return await app.async_dispatch(AsyncBoltRequest(body=sound, headers=headers, mode="socket_mode"))
    except Exception as odd:  # noqa: BLE001 - Bolt raises for shapes that Slack never sends, before our code runs
        _ignored(type(odd).__name__)
        return BoltResponse(status=200, body="")


def _ignored(stumbled: str) -> None:
    log.warning("malformed payload ignored", stumbled=stumbled)


class UnstoredEventError(Exception):
    """An event couldn't be stored; Slack resends it if it isn't acknowledged."""


async def _answer_anyway(error: Exception) -> BoltResponse:
    """Answer every signed request with 200: Slack retries other statuses and finally stops sending."""
    if isinstance(error, UnstoredEventError):
        return BoltResponse(status=503, body="")
    if isinstance(error, BoltUnhandledRequestError):
        log.info("payload without handler")
    elif isinstance(error, UnreadableError):
        _ignored(str(error))
    elif _OURS.isdisjoint(
        str(one.f_globals.get("__name__")).partition(".")[0] for one, _ in walk_tb(error.__traceback__)
    ):
        _ignored(type(error).__name__)  # not raised in our code: Bolt failed while looking for the listener
    else:
        log.error("request dispatch failed", exc_info=error)
    return BoltResponse(status=200, body="")


class Pin(AsyncMiddleware):
    """Middleware that answers signed requests of other workspaces, organizations or apps without effect."""

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
            # In a channel shared with another company, an event's workspace may be the other company's. Its
            # authorizations contain the installation that may see it, as does a form's view.
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
                "request from another workspace ignored", team=str(team), enterprise=str(enterprise), app=str(app)
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
        """Answer a slash command with the ack itself, visible only to the requester."""
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
        # Slack reports refused blocks for a response URL, but not for an ack.
        self.deps.ephemerals.begin(self._tell(answer, asker))
        await ack()

    async def action(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        if body.get("type") != "block_actions" or not body.get("actions"):  # legacy attachments and dialogs
            await ack()
            return
        with reading():
            click = Click.read(body)
        handler = self.router.actions.get(click.action_id.partition(":")[0])  # after a colon: a redrawn field
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
            # The first message of a thread is shown in the channel, so answer there.
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
        """Acknowledge an event unless it couldn't be stored, so that Slack resends it."""
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
        """Run a handler and return its answer. ``inside``: id of the form whose button was pressed, to be replaced."""
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
        """Open a form. ``form`` is resolved with its id for later updates, or empty if it couldn't be opened."""
        view_id = ""
        try:
            view_id = await self.deps.messenger.open_view(trigger_id=trigger_id, view=reply.view)
        except ServiceTrouble as refused:
            log.warning("form not opened", reason=str(refused))
            return Private(answers.try_again("Slack did not open the form."))
        finally:
            form.set_result(view_id)
        return Nothing()

    async def _at_home(self, handling: Awaitable[Reply], user: str) -> Reply:
        """Turn a private answer into a small form, because an App Home can't show private messages."""
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
        """Return the answer of ``work`` if it is ready in time, else ``meanwhile`` and deliver the answer later."""
        running = self.deps.ephemerals.begin(self._safely(work, user, patience=None))
        done, _ = await asyncio.wait({running}, timeout=max(seconds, 0.0))
        if done:
            return running.result()

        async def deliver_late() -> None:
            try:
                reply, _ = await asyncio.gather(running, asyncio.sleep(_AFTER_ACK))
            except asyncio.CancelledError:
                # The process is stopping: ask waiting users to try again.
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
            log.info("form not updated", reason=str(refused))

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
    """Return the view that replaces a form; None closes the form."""
    match reply:
        case Replace(view=view) | Open(view=view):
            return view
        case FieldErrors(errors=errors):  # a late answer: the fields are gone
            return notice("Switchboard", answers.trouble(" ".join(errors.values())).text)
        case Private(content=content) if content.blocks:
            return result("Switchboard", content.plainer or content.blocks)  # forms support fewer blocks than messages
        case Private(content=content):
            return notice("Switchboard", content.text)
        case _:
            return None


def answer_to(error: Exception, *, command: str, for_admin: bool = False) -> Content:  # noqa: C901, PLR0911, PLR0912 - one arm per error
    """Return the answer to an error, and log what operators need. ``command``: the payments command as typed here."""
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
            log.error("lookup denied by Slack", reason=str(error))
            return answers.pass_on(f"{error.service} {quote(told(error))}.")
        case ServiceNow():
            log.warning("request not handled", reason=str(error))
            return answers.try_again(f"{error.service} {told(error)}.")
        case RowUnreadable(name=name):
            log.error("request failed on an unreadable row", reason=str(error))
            return answers.unreadable(name)
        case CommitUnknown():
            log.error("commit outcome unknown", reason=str(error))
            return answers.uncertain(command)
        case StorageFull():
            log.error("request not stored", problem=error.problem, mend=error.mend)
            return answers.STORAGE_FULL
        case StorageReadOnly():
            log.error("request not stored", problem=error.problem, mend=error.mend)
            return answers.NOT_STORED
        case StorageError():
            log.warning("request not stored", reason=str(error))
            return answers.try_again("The database is busy.")
        case OperatorError():
            log.error("operator action needed", problem=str(error), mend=error.mend)
            return answers.trouble(sentence(error, for_admin=for_admin))
        case TimeoutError():
            return answers.uncertain(command, slow=True)
        case _:
            error_id = secrets.token_hex(4)
            log.error("handler failed", error_id=error_id, exc_info=error)
            return answers.broken(error_id)
