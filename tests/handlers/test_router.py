"""Which handler stands behind each command, button, form, shortcut and event that Slack may name."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from inline_snapshot import snapshot

from bot.wiring.slack import make_router
from bot.wiring.surroundings import Surroundings
from handlers.file_actions import ACTIONS


def named(handlers: Mapping[str, Any]) -> list[str]:
    """Each name with its handler, in their order."""
    return [f"{name} {spelled(handler)}" for name, handler in handlers.items()]


def spelled(handler: Any) -> str:
    if isinstance(handler, partial):
        more = [f"{name}={getattr(value, '__name__', value)}" for name, value in handler.keywords.items()]
        return f"{spelled(handler.func)}({', '.join([*map(str, handler.args), *more])})"
    return f"{handler.__module__}.{handler.__qualname__}".removeprefix("handlers.")


def test_everything_that_slack_may_name_has_its_handler() -> None:
    router = make_router(Surroundings.real(), prefix="sb-")
    assert named(router.commands) == snapshot(
        [
            "/sb-pay commands.pay.handle",
            "/sb-deliver commands.deliver.handle",
            "/sb-localize commands.localize.handle",
            "/sb-email commands.email.handle",
            "/sb-switchboard commands.switchboard.handle",
        ]
    )
    assert named(router.actions) == snapshot(
        [
            "payout.approve actions.payout.approve",
            "payout.reject actions.payout.open_form(wanted=awaiting, view=reject)",
            "payout.withdraw actions.payout.withdraw",
            "payout.retry actions.payout.open_form(wanted=needs_human, view=retry)",
            "payout.close actions.payout.open_form(wanted=needs_human, view=close)",
            "payout.send_anyway actions.payout.send_anyway",
            "payout.edit actions.payout.edit",
            "operations.previous actions.paging.turn",
            "operations.next actions.paging.turn",
            "email.pause actions.emails._button.<locals>.pressed",
            "email.resume actions.emails._button.<locals>.pressed",
            "email.stop actions.emails._button.<locals>.pressed",
            "bulk.previous actions.bulk.turn",
            "bulk.next actions.bulk.turn",
            "bulk.cancel actions.bulk.cancel",
            "payout.return actions.bulk.return_money",
            "bulk.template actions.bulk.template",
            "booking.start actions.booking.start",
            "booking.cancel actions.booking.cancel",
            "booking.refresh actions.booking.refresh",
            "booking.contact actions.booking.contact",
            "booking.track actions.booking.track",
            "certification.export actions.booking.export",
            "localization.cancel actions.localize.stop",
            "localization.again actions.localize.again",
            "stopped.again actions.stopped.try_again",
            "use.gender file_actions.offers._button.<locals>.pressed",
            "use.separate file_actions.offers._button.<locals>.pressed",
            "use.convert file_actions.offers._button.<locals>.pressed",
            "use.extract_audio file_actions.offers._button.<locals>.pressed",
            "use.extract_text file_actions.offers._button.<locals>.pressed",
            "use.transcribe file_actions.offers._button.<locals>.pressed",
            "use.emotion file_actions.offers._button.<locals>.pressed",
            "use.bulk file_actions.offers._button.<locals>.pressed",
            "use.emails file_actions.offers._button.<locals>.pressed",
            "use file_actions.offers._menu.<locals>.chosen",
            "home.refresh events.home.refresh",
        ]
    )
    assert named(router.views) == snapshot(
        [
            "verb input.verb_form.register.<locals>.submit",
            "use_file.chosen file_actions.offers._form.<locals>.submitted",
            "payout.request views.payout.request",
            "payout.edit views.payout.edit",
            "payout.approve views.payout.approve(vote=_approve)",
            "payout.reject views.payout.end_with_reason(end=reject)",
            "payout.withdraw views.payout.end_with_reason(end=withdraw)",
            "payout.retry views.payout.approve(vote=retry)",
            "payout.close views.payout.end_with_reason(end=close_as_not_paid)",
            "purchase.request views.collect.submit",
            "bulk.request views.bulk.submit",
            "bulk.file views.bulk.confirm",
            "account.status views.account.look_up",
            "booking.request views.booking.ask_price",
            "booking.prebook views.booking.prebook",
            "booking.quote views.booking.price",
            "booking.confirm views.booking.confirm",
            "booking.cancel views.booking.cancel",
            "store.add views.store.add",
            "store.edit views.store.edit",
            "localization.ask views.localize.submit",
            "email.file views.emails.choose_file",
            "email.list views.emails.start",
        ]
    )
    assert named(router.shortcuts) == snapshot(["use_file shortcuts.use_file.use_file"])
    assert named(router.events) == snapshot(
        [
            "message events.files.said",
            "file_shared events.files.shared",
            "file_deleted events.files.deleted",
            "app_home_opened events.home.opened",
        ]
    )


def test_the_actions_on_files_in_the_order_of_their_buttons() -> None:
    assert [f"{one.name}: {one.label}" for one in ACTIONS] == snapshot(
        [
            "gender: Detect gender",
            "separate: Separate vocals and music",
            "convert: Convert",
            "extract_audio: Extract audio",
            "extract_text: Extract text",
            "transcribe: Transcribe",
            "emotion: Emotion",
            "bulk: Pay in bulk",
            "emails: Process e-mails",
        ]
    )
