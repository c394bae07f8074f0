"""Composition objects and elements of Block Kit with their limits."""

from bot.playground.workspace.limits.schema import (
    Check,
    anything,
    choice,
    flag,
    listing,
    number,
    record,
    string,
    variant,
)

ID = string(255, least=1)


def text(most: int, *, kinds: tuple[str, ...] = ("plain_text", "mrkdwn"), least: int = 1) -> Check:
    """A text object of ``least`` to ``most`` characters."""
    word = string(most, least=least)
    return variant(
        {
            "plain_text": record({"type": anything, "text": word, "emoji": flag}, required=("text",)),
            "mrkdwn": record({"type": anything, "text": word, "verbatim": flag}, required=("text",)),
        },
        allowed=kinds,
    )


def plain(most: int, *, least: int = 1) -> Check:
    """A ``plain_text`` object."""
    return text(most, kinds=("plain_text",), least=least)


CONFIRM = record(
    {
        "title": plain(100),
        "text": text(300),
        "confirm": plain(30),
        "deny": plain(30),
        "style": choice("primary", "danger"),
    },
    required=("title", "text", "confirm", "deny"),
)
OPTION = record(
    {"text": text(75), "value": string(150, least=1), "description": text(75), "url": string(3000)},
    required=("text", "value"),
)
OPTION_GROUP = record({"label": plain(75), "options": listing(OPTION, most=100)}, required=("label", "options"))
DISPATCH = record({"trigger_actions_on": listing(choice("on_enter_pressed", "on_character_entered"), most=2)})
_COMMON: dict[str, Check] = {"type": anything, "action_id": ID, "confirm": CONFIRM}
_FOCUS: dict[str, Check] = {**_COMMON, "focus_on_load": flag}
_SELECT: dict[str, Check] = {**_FOCUS, "placeholder": plain(150)}
_MULTI: dict[str, Check] = {**_SELECT, "max_selected_items": number}
_TYPED: dict[str, Check] = {
    "type": anything,
    "action_id": ID,
    "placeholder": plain(150),
    "initial_value": string(3000),
    "focus_on_load": flag,
    "dispatch_action_config": DISPATCH,
}
_LENGTHS: dict[str, Check] = {"min_length": number, "max_length": number}
_STATIC: dict[str, Check] = {
    "options": listing(OPTION, most=100),
    "option_groups": listing(OPTION_GROUP, most=100),
}
_CONVERSATION: dict[str, Check] = {"default_to_current_conversation": flag, "filter": anything}
_PICKED = listing(OPTION, most=100)
_FEW = listing(OPTION, most=10)
_IDS = listing(string(255), most=1000, least=0)

BUTTON = record(
    {
        **_COMMON,
        "text": plain(75),
        "value": string(2000),
        "url": string(3000),
        "style": choice("primary", "danger"),
        "accessibility_label": string(75),
    },
    required=("text",),
)
IMAGE = record(
    {"type": anything, "image_url": string(3000), "slack_file": anything, "alt_text": string(2000, least=1)},
    required=("alt_text",),
    one_of=("image_url", "slack_file"),
)
CHOICES: dict[str, Check] = {
    "button": BUTTON,
    "overflow": record({**_COMMON, "options": listing(OPTION, most=5)}, required=("options",)),
    "checkboxes": record({**_FOCUS, "options": _FEW, "initial_options": _FEW}, required=("options",)),
    "radio_buttons": record({**_FOCUS, "options": _FEW, "initial_option": OPTION}, required=("options",)),
    "static_select": record({**_SELECT, **_STATIC, "initial_option": OPTION}, one_of=("options", "option_groups")),
    "external_select": record({**_SELECT, "initial_option": OPTION, "min_query_length": number}),
    "users_select": record({**_SELECT, "initial_user": string(255)}),
    "conversations_select": record(
        {**_SELECT, **_CONVERSATION, "initial_conversation": string(255), "response_url_enabled": flag}
    ),
    "channels_select": record({**_SELECT, "initial_channel": string(255), "response_url_enabled": flag}),
    "multi_static_select": record(
        {**_MULTI, **_STATIC, "initial_options": _PICKED}, one_of=("options", "option_groups")
    ),
    "multi_external_select": record({**_MULTI, "initial_options": _PICKED, "min_query_length": number}),
    "multi_users_select": record({**_MULTI, "initial_users": _IDS}),
    "multi_conversations_select": record({**_MULTI, **_CONVERSATION, "initial_conversations": _IDS}),
    "multi_channels_select": record({**_MULTI, "initial_channels": _IDS}),
    "datepicker": record({**_SELECT, "initial_date": string(10)}),
    "timepicker": record({**_SELECT, "initial_time": string(5), "timezone": string(64)}),
    "datetimepicker": record({**_FOCUS, "initial_date_time": number}),
    "workflow_button": record(
        {
            **_COMMON,
            "text": plain(75),
            "workflow": anything,
            "style": choice("primary", "danger"),
            "accessibility_label": string(75),
        },
        required=("text", "workflow"),
    ),
}
TYPED: dict[str, Check] = {
    "plain_text_input": record({**_TYPED, **_LENGTHS, "multiline": flag}),
    "email_text_input": record(_TYPED),
    "url_text_input": record(_TYPED),
    "number_input": record(
        {**_TYPED, "is_decimal_allowed": flag, "min_value": string(32), "max_value": string(32)},
        required=("is_decimal_allowed",),
    ),
    "rich_text_input": record({**_TYPED, "initial_value": anything}),
    "file_input": record(
        {"type": anything, "action_id": ID, "filetypes": listing(string(32), most=100, least=0), "max_files": number}
    ),
}
_NO_INPUT = ("button", "overflow", "workflow_button")
ACCESSORY = variant({**CHOICES, "image": IMAGE})
ACTION = variant({**CHOICES, **{k: TYPED[k] for k in ("rich_text_input",)}})
INPUT = variant({**{k: v for k, v in CHOICES.items() if k not in _NO_INPUT}, **TYPED})
CONTEXT = variant({"image": IMAGE, "plain_text": text(3000), "mrkdwn": text(3000)})
