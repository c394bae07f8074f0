"""Blocks that fit into what Slack takes."""

from typing import Any

from tests.playground.workspace.conftest import actions, button, section, text_input


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def select(count: int, **fields: Any) -> dict[str, Any]:
    return {
        "type": "static_select",
        "action_id": "menu",
        "options": [{"text": plain(str(i)), "value": str(i)} for i in range(count)],
        **fields,
    }


FITTING: list[list[dict[str, Any]]] = [
    [section("x" * 3000)] * 50,
    [{"type": "header", "text": plain("x" * 150)}],
    [{"type": "section", "fields": [plain("x" * 2000)] * 10}],
    [{"type": "context", "elements": [plain("x")] * 10}],
    [actions(*(button(f"b{i}", "v" * 2000, "x" * 75) for i in range(25)))],
    [actions(select(100))],
    [{"type": "divider"}, {"type": "image", "image_url": "https://x.y/z.png", "alt_text": "a"}],
    [{"type": "markdown", "text": "x" * 12_000}],
    [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 20] * 100}],
    [
        {
            **section("x"),
            "accessory": {
                **button("b"),
                "confirm": {
                    "title": plain("x" * 100),
                    "text": plain("x" * 300),
                    "confirm": plain("x" * 30),
                    "deny": plain("x" * 30),
                },
            },
        }
    ],
    [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}]}],
    [text_input("a")],
]
