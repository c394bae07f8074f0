"""What a form holds, from the payload as Slack writes it."""

from typing import Any

from handlers.incoming import Shortcut, Submission


def submission(**state: Any) -> Submission:
    view = {
        "id": "V1",
        "callback_id": "c",
        "private_metadata": "m",
        "state": {"values": {block: {"element": held} for block, held in state.items()}},
    }
    return Submission.read({"type": "view_submission", "user": {"id": "U1"}, "view": view})


def option(value: str) -> dict[str, Any]:
    return {"text": {"type": "plain_text", "text": value.upper()}, "value": value}


def test_each_kind_of_element_is_read() -> None:
    form = submission(
        typed={"type": "plain_text_input", "value": "words"},
        empty={"type": "plain_text_input", "value": None},
        chosen={"type": "static_select", "selected_option": option("b")},
        nothing={"type": "static_select", "selected_option": None},
        day={"type": "datepicker", "selected_date": "2026-11-21"},
        moment={"type": "datetimepicker", "selected_date_time": 1_700_000_000},
        place={"type": "channels_select", "selected_channel": "C1"},
    )
    assert list(form.values) == ["typed", "empty", "chosen", "nothing", "day", "moment", "place"]
    assert list(form.values.values()) == ["words", "", "b", "", "2026-11-21", "1700000000", "C1"]
    assert form.files == {}
    assert set(form.choices.values()) == {()}


def test_several_choices_are_read() -> None:
    form = submission(
        boxes={"type": "checkboxes", "selected_options": [option("a"), option("c")]},
        many={"type": "multi_static_select", "selected_options": []},
        people={"type": "multi_users_select", "selected_users": ["U1", "U2"]},
    )
    assert form.choices == {"boxes": ("a", "c"), "many": (), "people": ("U1", "U2")}


def test_files_are_read_by_their_ids() -> None:
    form = submission(
        file={"type": "file_input", "files": [{"id": "F1", "name": "a.csv", "url_private": "https://x"}, {"id": "F2"}]},
        none={"type": "file_input", "files": []},
        text={"type": "plain_text_input", "value": "x"},
    )
    assert form.files == {"file": ("F1", "F2"), "none": ()}


def test_a_form_without_fields_is_read() -> None:
    assert Submission.read({"user": {"id": "U1"}, "view": {"id": "V1", "state": {}}}).values == {}


def test_a_shortcut_that_names_no_channel_or_message_is_read() -> None:
    for body in ({}, {"channel": None, "message": None}):
        shortcut = Shortcut.read({"callback_id": "c", "user": {"id": "U1"}, **body})
        assert (shortcut.callback_id, shortcut.user) == ("c", "U1")
        assert (shortcut.channel, shortcut.ts, shortcut.thread_ts, shortcut.files) == ("", "", "", ())
