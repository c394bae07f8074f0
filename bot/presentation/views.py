"""Modals. Which request they are about travels as an opaque id; the server looks everything up again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.domain.content import Block
from bot.domain.money import shown
from bot.domain.payments.instruction import Instruction, Kind
from bot.presentation.blocks.text import mrkdwn, plain, section
from bot.presentation.payments.bulk_cards import noun
from bot.presentation.payments.states import headline

APPROVE = "payout.approve"
REJECT = "payout.reject"
WITHDRAW = "payout.withdraw"
RETRY = "payout.retry"
CLOSE = "payout.close"
REQUEST = "payout.request"
VERB = "verb"
ACCOUNT = "account.status"
COLLECT = "purchase.request"
BULK = "bulk.request"
TEMPLATE = "bulk.template"
"""The button in the form of a bulk payment that asks for a template."""

AMOUNT = "amount"
REASON = "reason"
EMAIL = "email"
DESCRIPTION = "description"
ITEMS = "items"
FILE = "file"
ROWS = "rows"

REASON_LIMIT = 500
ITEMS_LIMIT = 2_000
"""Characters of all lines that name items."""
DESCRIPTION_LIMIT = 500
"""Characters of a description: enough for a purpose, short enough to be read whole on a phone."""
_ARGUMENT_LIMIT = 500
_TITLE_LIMIT = 24
"""Characters of a form's title (Slack)."""

ROWS_LIMIT = 3_000
"""Characters of all rows typed into a form (Slack)."""

PAYOUT_TITLE = "Pay somebody"
COLLECT_TITLE = "Collect money"
NO_EFFECT_TITLE = "Without effect"
ACCOUNT_TITLE = "Account status"
BULK_TITLE = "Pay in bulk"

View = Block


def about(instruction: Instruction, *, channel: str, ts: str) -> str:
    """What a form carries: the request, its round, and the message whose button was pressed."""
    facts = {"id": instruction.id, "round": instruction.round, "channel": channel, "ts": ts}
    return json.dumps(facts, separators=(",", ":"))


def approve(instruction: Instruction, *, metadata: str) -> View:
    """A large amount has to be typed before it is approved."""
    return form(
        APPROVE,
        f"Approve a {noun(instruction)}",
        "Approve",
        metadata,
        [_facts(instruction), _amount(f"Type the amount, {shown(instruction.cents)}, to approve it")],
    )


def reject(instruction: Instruction, *, metadata: str) -> View:
    """Rejecting needs a reason, and the reason is shown."""
    return form(
        REJECT,
        f"Reject a {noun(instruction)}",
        "Reject",
        metadata,
        [_facts(instruction), _reason("Everybody sees it.")],
    )


def withdraw(instruction: Instruction, *, metadata: str) -> View:
    """Withdrawing what somebody else asked for needs a reason, and they are told it."""
    what = "purchase" if instruction.kind is Kind.PURCHASE else noun(instruction)
    return form(
        WITHDRAW,
        f"Withdraw a {what}",
        "Withdraw",
        metadata,
        [_facts(instruction), _reason("Everybody sees it; the person who asked is told.")],
    )


def retry(instruction: Instruction, *, metadata: str) -> View:
    """A new attempt at something whose outcome nobody knows: the one place where paying twice is a person's risk."""
    warning = (
        f":warning: *Look this {noun(instruction)} up at the service first.* If it was paid there, a new attempt may "
        "pay it again. "
        "Switchboard reads it once more before it sends anything."
    )
    if instruction.kind is Kind.BULK_CANCEL:
        warning = (
            "Only payments that still read as pending are named again. What was canceled already is canceled once only."
        )
    elif not instruction.commits:
        warning = "The payout could not be created, so nothing was paid. A new attempt creates it again."
    return form(
        RETRY,
        "Try once more",
        "Approve new attempt",
        metadata,
        [_facts(instruction), section(mrkdwn(warning)), _amount(f"Type the amount, {shown(instruction.cents)}")],
    )


def close(instruction: Instruction, *, metadata: str) -> View:
    """Somebody looked it up and says that it was not paid."""
    return form(
        CLOSE,
        "Close as not paid",
        "Close",
        metadata,
        [_facts(instruction), _reason("How do you know that it was not paid?")],
    )


def request(*, channel: str, kind: Kind = Kind.PAYOUT) -> View:
    """Ask for a payout without typing a command line."""
    blocks = [
        _input(EMAIL, "Recipient's e-mail address", {"type": "email_text_input", "action_id": EMAIL}),
        _input(
            AMOUNT,
            "Amount in USD",
            {"type": "plain_text_input", "action_id": AMOUNT, "placeholder": plain("25.00"), "max_length": 20},
        ),
        _purpose(),
    ]
    return form(REQUEST, PAYOUT_TITLE, "Ask for approval", json.dumps({"channel": channel, "kind": kind.value}), blocks)


def collect(*, channel: str) -> View:
    """Ask somebody for money, for as many items as there are lines."""
    lines = {
        "type": "plain_text_input",
        "action_id": ITEMS,
        "multiline": True,
        "placeholder": plain("Web design = 2 x 10.00\nHosting = 12 x 4.50"),
        "max_length": ITEMS_LIMIT,
    }
    items = {
        **_input(ITEMS, "Items", lines),
        "hint": plain("One a line: what it is = how many x the price of one in USD"),
    }
    blocks = [
        _input(EMAIL, "Buyer's e-mail address", {"type": "email_text_input", "action_id": EMAIL}),
        _purpose(),
        items,
    ]
    return form(COLLECT, COLLECT_TITLE, "Get the link", json.dumps({"channel": channel}), blocks)


def bulk(*, channel: str) -> View:
    """Ask for many payments at once: with a file, or with rows typed here."""
    file = {"type": "file_input", "action_id": FILE, "filetypes": ["csv", "xlsx", "txt", "tsv"], "max_files": 1}
    rows = {
        "type": "plain_text_input",
        "action_id": ROWS,
        "multiline": True,
        "placeholder": plain("ana@example.com, 25.00, March translation\nben@example.com, 10.50, Proofreading"),
        "max_length": ROWS_LIMIT,
    }
    lead = "A table with the columns *email*, *amount* (USD) and *note*. Nothing is paid before people approve it."
    template = {"type": "button", "text": plain("Send me a template"), "action_id": TEMPLATE, "value": channel}
    blocks: list[Block] = [
        {**section(mrkdwn(lead)), "accessory": template},
        {**_input(FILE, "CSV or XLSX file", file), "optional": True},
        {
            **_input(ROWS, "… or rows", rows),
            "optional": True,
            "hint": plain("One payment a line: e-mail address, amount, note. Copied from a spreadsheet works too."),
        },
    ]
    return form(BULK, BULK_TITLE, "Ask for approval", json.dumps({"channel": channel}), blocks)


def account() -> View:
    """Ask about the account behind an address."""
    blocks = [_input(EMAIL, "E-mail address", {"type": "email_text_input", "action_id": EMAIL})]
    return form(ACCOUNT, ACCOUNT_TITLE, "Look it up", "", blocks)


def notice(title: str, text: str) -> View:
    """What a form turns into when it can no longer do what it was opened for."""
    return result(title, [section(mrkdwn(text))])


@dataclass(frozen=True, slots=True)
class VerbField:
    """One field of the form of a verb: the argument's name and its rule, and whether it may stay empty."""

    name: str
    rule: str
    optional: bool = False


def verb(title: str, summary: str, asked: Sequence[VerbField], *, about: Mapping[str, str]) -> View:
    """The form of a verb that was typed without its arguments."""
    blocks: list[Block] = [section(plain(f"{summary[:1].upper()}{summary[1:]}."))]
    for one in asked:
        element = {"type": "plain_text_input", "action_id": one.name, "max_length": _ARGUMENT_LIMIT}
        label = " or ".join(one.name.split("|"))
        block = _input(one.name, f"{label[:1].upper()}{label[1:]}", element)
        may_stay_empty = {"optional": True} if one.optional else {}
        blocks.append({**block, **may_stay_empty, "hint": plain(f"{one.rule[:1].upper()}{one.rule[1:]}.")})
    return form(VERB, short_title(title), "Go on", json.dumps(dict(about)), blocks)


def short_title(text: str) -> str:
    """At most the 24 characters that a form's title may have."""
    return text if len(text) <= _TITLE_LIMIT else text[: _TITLE_LIMIT - 1] + "…"


def result(title: str, blocks: Sequence[Block]) -> View:
    """What a form turns into when it has an answer."""
    return {
        "type": "modal",
        "callback_id": "notice",
        "title": plain(title),
        "close": plain("Close"),
        "blocks": list(blocks),
    }


def form(callback_id: str, title: str, submit: str, metadata: str, blocks: list[Block]) -> View:
    """A form that can be submitted."""
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(title),
        "submit": plain(submit),
        "close": plain("Cancel"),
        "private_metadata": metadata,
        "blocks": blocks,
    }


def _facts(instruction: Instruction) -> Block:
    return section(plain(f"{headline(instruction)}\nReference {instruction.reference}"))


def _purpose() -> Block:
    return _input(
        DESCRIPTION,
        "What is it for?",
        {
            "type": "plain_text_input",
            "action_id": DESCRIPTION,
            "placeholder": plain("March translation"),
            "max_length": DESCRIPTION_LIMIT,
        },
    )


def _amount(label: str) -> Block:
    return _input(AMOUNT, label, {"type": "plain_text_input", "action_id": AMOUNT, "max_length": 20})


def _reason(hint: str) -> Block:
    element = {"type": "plain_text_input", "action_id": REASON, "multiline": True, "max_length": REASON_LIMIT}
    return {**_input(REASON, "Reason", element), "hint": plain(hint)}


def _input(block_id: str, label: str, element: Block) -> Block:
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": element}
