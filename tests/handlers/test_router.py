"""Which handler stands behind each command, button, form, shortcut and event that Slack may name."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from inline_snapshot import snapshot

from handlers.files import FileAction
from handlers.grammar.verbs import SlashCommand
from handlers.registry import FILE_ACTIONS, make_router


def named(handlers: Mapping[str, Any]) -> list[str]:
    return [f"{name} {spelled(handler)}" for name, handler in handlers.items()]


def spelled(handler: Any) -> str:
    if isinstance(handler, partial):
        more = [f"{name}={given(value)}" for name, value in handler.keywords.items()]
        return f"{spelled(handler.func)}({', '.join([*map(str, handler.args), *more])})"
    return f"{handler.__module__}.{handler.__qualname__}".removeprefix("handlers.")


def given(value: object) -> object:
    """What a handler is given beside its arguments, by name."""
    match value:
        case partial(func=function, keywords=more):
            return f"{function.__name__}({', '.join(f'{name}={one}' for name, one in more.items())})"
        case SlashCommand(name=name) | FileAction(name=name):
            return name
        case Mapping():
            return "|".join(value)
        case _:
            return getattr(value, "__name__", value)


def test_everything_that_slack_may_name_has_its_handler() -> None:
    router = make_router(FILE_ACTIONS, prefix="sb-")
    assert named(router.commands) == snapshot(
        [
            "/sb-pay grammar.verbs.run(slash=pay)",
            "/sb-deliver grammar.verbs.run(slash=deliver)",
            "/sb-localize grammar.verbs.run(slash=localize)",
            "/sb-email grammar.verbs.run(slash=email)",
            "/sb-switchboard grammar.verbs.run(slash=switchboard)",
        ]
    )
    assert named(router.actions) == snapshot(
        [
            "payout.approve pay.approve",
            "payout.reject pay.open_form(wanted=awaiting, view=reject)",
            "payout.withdraw pay.withdraw",
            "payout.retry pay.open_form(wanted=needs_human, view=retry)",
            "payout.close pay.open_form(wanted=needs_human, view=close)",
            "payout.send_anyway pay.send_anyway",
            "payout.edit pay.edit",
            "operations.previous pay_reading.turn",
            "operations.next pay_reading.turn",
            "bulk.previous bulk.turn",
            "bulk.next bulk.turn",
            "bulk.cancel bulk.cancel",
            "payout.return bulk.return_money",
            "bulk.template bulk.template",
            "booking.start deliver.start_now",
            "booking.cancel deliver.open_cancel",
            "booking.refresh deliver.refresh",
            "booking.contact deliver.contact",
            "booking.track deliver.track",
            "certification.export deliver.export",
            "localization.cancel localize.stop",
            "localization.again localize.again",
            "email.pause email.press_board(what=pause)",
            "email.resume email.press_board(what=resume)",
            "email.stop email.press_board(what=stop)",
            "stopped.again switchboard.try_again",
            "home.refresh switchboard.refresh",
            "use.gender files.Offers._start(action=gender)",
            "use.separate files.Offers._start(action=separate)",
            "use.convert files.Offers._start(action=convert)",
            "use.extract_audio files.Offers._start(action=extract_audio)",
            "use.extract_text files.Offers._start(action=extract_text)",
            "use.transcribe files.Offers._start(action=transcribe)",
            "use.emotion files.Offers._start(action=emotion)",
            "use.bulk files.Offers._start(action=bulk)",
            "use.emails files.Offers._start(action=emails)",
            "use files.Offers._choose",
        ]
    )
    assert named(router.views) == snapshot(
        [
            "verb grammar.verbs.submit(commands=pay|deliver|localize|email|switchboard)",
            "payout.approve pay.vote(count=approve(confirmed=True))",
            "payout.reject pay.end_with_reason(end=reject)",
            "payout.withdraw pay.end_with_reason(end=withdraw)",
            "payout.retry pay.vote(count=retry)",
            "payout.close pay.end_with_reason(end=close_as_not_paid)",
            "payout.request pay.submit_payout",
            "payout.edit pay.submit_payout",
            "purchase.request pay.submit_purchase",
            "account.status pay_reading.look_up",
            "bulk.request bulk.submit",
            "bulk.file bulk.confirm_file",
            "booking.request deliver.ask_price",
            "booking.prebook deliver.prebook",
            "booking.quote deliver.price",
            "booking.confirm deliver.confirm",
            "booking.cancel deliver.cancel",
            "store.add stores.save(new=True)",
            "store.edit stores.save(new=False)",
            "localization.ask localize.submit",
            "email.file email.choose_file",
            "email.list email.start",
            "use_file.chosen files.Offers._submit",
        ]
    )
    assert named(router.shortcuts) == snapshot(["use_file files.use_file"])
    assert named(router.events) == snapshot(
        [
            "message files.said",
            "file_shared files.shared",
            "file_deleted files.deleted",
            "app_home_opened switchboard.opened",
        ]
    )


def test_the_actions_on_files_in_the_order_of_their_buttons() -> None:
    assert [f"{one.name}: {one.label}" for one in FILE_ACTIONS] == snapshot(
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
