"""The App Home: requests to decide, the reader's requests, forms to open; for admins also controls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.domain.approvals import No
from bot.domain.content import Block
from bot.domain.home import A_PAGE, Control, Home, Listed, Paged, Start, StoreLoad, Way, Work
from bot.domain.money import shown
from bot.domain.overview import ServiceStatus
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.recipient import awaits_requester
from bot.domain.policy import Approval, Frozen, Policy
from bot.domain.text import clean
from bot.presentation import overview
from bot.presentation.answers import refused
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.files.columns import option
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import KINDS, headline, in_full, word_of
from bot.presentation.payments.payouts import asked_anyway
from bot.presentation.reasons import short_of_people, worded
from bot.presentation.views import View, field, form
from bot.presentation.words import symbol

REFRESH: Final = "home.refresh"
BACK: Final = "home.back"
ON: Final = "home.on"
START: Final = "home.start"
"""Prefix of numbered ids for the buttons that open forms, because ids must be unique in a row."""
VERBS: Final = "home.localize"
VERB: Final = "verb"
_PURPOSE = 120
_TITLE = 160
_NAME = 60
_MOST_STORES = 15
_MOST_PEOPLE = 10
_NEARLY = 0.8  # part of the daily limit from which it is marked
_LABELS: Final[Mapping[Start, str]] = {
    Start.PAYOUT: "New payout",
    Start.BULK: "Pay in bulk",
    Start.BOOK: "Book a delivery",
    Start.EMAILS: "Check e-mails",
    Start.LOCALIZE: "Localize",
}
STARTS: Final = len(Start)
_WAYS: Final[Mapping[Way, str]] = {
    Way.LOOKING: "looking for a driver",
    Way.COMING: "driver on the way to the store",
    Way.ON_THE_WAY: "on the way",
    Way.PREPARING: "preparing",
    Way.WAITING: "waiting for an address",
    Way.UNSURE: "needs someone",
}


def draw(found: Home | No, policy: Policy, now: datetime) -> Block:
    """Return the view as of now. Only its last block depends on the time."""
    return closed(found, now) if isinstance(found, No) else view(found, approval=policy.approval, now=now)


def view(home: Home, *, approval: Approval, now: datetime) -> Block:
    may_freeze = Start.FREEZE in home.starts
    freeze = [_start(Start.FREEZE, "Freeze payments")] if may_freeze and home.control is None else []
    blocks = [
        *_begin(home),
        *(_welcome(home) if home.is_new else []),
        *(_waiting(home) if home.decides else []),
        *(_own(home) if home.own.rows or home.own.now or home.ended else []),
        *_frozen_since(home),
        *_in_progress(home),
        *_troubles(home.services),
        *(_control(home.control, approval, may_freeze=may_freeze) if home.control is not None else []),
        {"type": "divider"},
        *actions(freeze),
        md.context(f"Updated {md.moment(now)}"),
    ]
    return {"type": "home", "private_metadata": home.laid.model_dump_json(), "blocks": blocks}


def closed(refusal: No, now: datetime) -> Block:
    return {"type": "home", "blocks": [md.paragraph(refused(refusal).text), md.context(f"Updated {md.moment(now)}")]}


def localize(verbs: Sequence[tuple[str, str]], *, channel: str) -> View:
    """Build the form to choose one of these verbs, each with its summary."""
    options = [option(name, md.capital(name.replace("-", " ")), md.capital(said)) for name, said in verbs]
    chosen: Block = {"type": "static_select", "action_id": VERB, "options": options}
    return form(VERBS, "Localize", "Next", {"channel": channel}, [field(VERB, "What do you need?", chosen)])


def _begin(home: Home) -> Iterator[Block]:
    """Yield the buttons for forms that this person may open, and a freeze, before everything else.

    Buttons that redraw the list are above it, so that a double tap hits the same button, never another row's.
    """
    begun = [_start(one, label) for one, label in _LABELS.items() if one in home.starts]
    yield from actions([*begun, button("Refresh", REFRESH)])
    if home.laid.is_frozen:
        lifted = md.paragraph(":sunny: Payments aren't frozen any more.")
        yield lifted if home.frozen is None else _frozen(home.frozen, may_lift=Start.UNFREEZE in home.starts)


def _frozen_since(home: Home) -> list[Block]:
    """Return a freeze later than the layout; it goes below the rows, because above it would push them down."""
    came_after = home.frozen if not home.laid.is_frozen else None
    return [] if came_after is None else [_frozen(came_after, may_lift=Start.UNFREEZE in home.starts)]


def _start(one: Start, label: str) -> Block:
    style = {Start.PAYOUT: "primary", Start.FREEZE: "danger"}.get(one, "")
    return button(label, f"{START}.{list(Start).index(one)}", one.value, style=style)


def _frozen(found: Frozen, *, may_lift: bool) -> Block:
    by = f" by {md.mention(found.by)}" if found.by.startswith(("U", "W")) else ""
    told = md.paragraph(f":snowflake: *Payments are frozen*{by}: “{md.quote(worded(found.reason), _PURPOSE)}”")
    return {**told, "accessory": _start(Start.UNFREEZE, "Unfreeze")} if may_lift else told


def _welcome(home: Home) -> list[Block]:
    able = {
        Start.PAYOUT: "*Pay someone*: press *New payout*. It is sent once it's approved.",
        Start.BULK: "*Pay many*: drop a CSV file into a channel I'm in, and choose *Pay in bulk*.",
        Start.BOOK: "*Send something*: press *Book a delivery*. You see the price first.",
        Start.EMAILS: "*Check e-mail addresses*: press *Check e-mails*, or drop a file with them.",
        Start.LOCALIZE: "*Translate, transcribe, convert*: drop a file or press *Localize*.",
    }
    lines = [f"{number}. {said}" for number, said in enumerate((able[one] for one in able if one in home.starts), 1)]
    told = lines[:3] or ["Nothing is set up for you yet. Ask an admin which services your team uses."]
    return [md.header("Welcome to Switchboard"), md.paragraph("\n".join(told))]


def _waiting(home: Home) -> Iterator[Block]:
    count = home.waiting.now
    title = f"{count} {'needs' if count == 1 else 'need'} you" if count else "You're all caught up"
    if not home.waiting.rows:
        said = "Press *Refresh*." if count else "Nothing needs your approval."
        yield md.paragraph(f"{':bell:' if count else ':tada:'} *{title}.* {said}")
        return
    yield md.header(f"{title}{_fresh(home.waiting)}")
    yield from _turns(home.waiting, "waiting")
    for number, one in enumerate(home.waiting.rows):
        yield from [{"type": "divider"}] if number else []
        yield from _to_decide(one)


def _to_decide(one: Listed) -> Iterator[Block]:
    """Build a row with its buttons; once decided, its outcome takes as many blocks, so that no other row moves."""
    instruction, settled = one.instruction, one.is_settled
    about = f"{_purpose(instruction)} · {md.mention(instruction.requester)}"
    title = _title(one if settled else replace(one, link=""), whole=True)
    told = md.paragraph("\n".join([title, about, *_doubts(one)]))
    yield {**told, "block_id": f"home.about:{instruction.id}"}
    yield {**md.context(" · ".join(_grey(one))), "block_id": f"home.votes:{instruction.id}"}
    buttons = [*cards.deciding(instruction), *cards.opening(one.link)]
    pressed = _outcome(one, asks=not one.is_over) if settled else actions(buttons)
    yield {**pressed[0], "block_id": f"home:{instruction.id}"}


def _outcome(one: Listed, *, asks: bool) -> list[Block]:
    """Show a row's outcome at about the height of its buttons; ``asks`` if the reader now has another question."""
    approved = "" if one.instruction.state is State.APPROVED else " · approved"
    by = f"{approved} by {md.mentions([vote.person for vote in one.votes])}" if one.votes else ""
    stays = "It has changed. Press *Refresh* to see it." if asks else "It stays here until you refresh."
    return [md.paragraph(f"{symbol(one.instruction.state)} *{_stands(one)}*{by}\n{stays}")]


def _fresh(found: Paged[Listed]) -> str:
    return f" · {found.fresh} new, press Refresh" if found.fresh else ""


def _doubts(one: Listed) -> list[str]:
    """Return a row's warnings, or their number if they are long; the card and the forms show all of them."""
    found = cards.doubts(one.instruction, one.short)
    if one.instruction.state is State.NEEDS_HUMAN:
        found.append(":rotating_light: *Needs a decision*: its outcome could not be confirmed.")
    return found


def _grey(one: Listed) -> Iterator[str]:
    """Yield approvals so far, and expiry or a similarly long text."""
    needs, expires = one.instruction.requirement, one.instruction.expires_at
    yield f"{len(one.votes)} of {needs.quorum} approved"
    if one.is_settled and one.instruction.state is not State.AWAITING:
        yield f"requested {md.moment(one.instruction.created_at)}"
    elif expires is not None:
        yield f"expires {md.moment(expires)}"
    yield one.instruction.reference


def _own(home: Home) -> Iterator[Block]:
    yield md.header(f"Your requests{_fresh(home.own)}")
    yield from _turns(home.own, "own")
    for one in home.own.rows:
        yield from _requested(one)
    if home.ended:
        lines = [
            f"{symbol(one.instruction.state)} {_title(one)} · {_stands(one)}"
            + (f" · {md.moment(one.instruction.closed_at)}" if one.instruction.closed_at else "")
            for one in home.ended
        ]
        yield from md.paragraphs(["*Finished*", *lines])


def _requested(one: Listed) -> Iterator[Block]:
    instruction = one.instruction
    told, asks = f"{_title(one)} · {_stands(one)}", awaits_requester(instruction)
    expires = instruction.expires_at if instruction.state is State.AWAITING else None
    about = " · ".join([_purpose(instruction), *([f"expires {md.moment(expires)}"] if expires else [])])
    question = f":question: {asked_anyway(instruction)}" if asks else ""
    if asks and not one.has_question:
        about, question = f"{question} Press *Refresh* to answer.", ""
    row = md.paragraph("\n".join(filter(None, [told, about, question])))
    for taken_back in cards.withdrawing(instruction):
        row = {**row, "accessory": taken_back}
    yield {**row, "block_id": f"home.own:{instruction.id}"}
    if one.has_question:
        answers = KINDS[instruction.kind].buttons(instruction)
        pressed = _outcome(one, asks=asks) if one.is_settled else actions(answers)
        yield {**pressed[0], "block_id": f"home.asks:{instruction.id}"}


def _turns(found: Paged[Listed], which: str) -> list[Block]:
    if found.pages == 1:
        return []
    last = min(found.first + A_PAGE - 1, found.total)
    pressed = [button("Previous", BACK, f"{which}:{found.page - 1}")] if found.page > 1 else []
    # With rows gone, the next page has moved up: *Next* would skip rows.
    on = found.page + (1 if not found.gone else 0)
    pressed += [button("Next", ON, f"{which}:{on}")] if found.page < found.pages else []
    return [*actions(pressed), md.context(f"{found.first} to {last} of {found.total}")]


def _in_progress(home: Home) -> Iterator[Block]:
    if home.stores:
        yield md.header("Deliveries")
        yield from md.paragraphs(md.listed([_store(one) for one in home.stores], _MOST_STORES))
    if home.works:
        yield md.header("Files and texts")
        yield from md.paragraphs([_work(one, reader=home.user) for one in home.works])


def _store(one: StoreLoad) -> str:
    told = [f"{count} {words}" for way, words in _WAYS.items() if (count := one.ways.get(way, 0))]
    late = f" · :warning: *{one.late} late*" if one.late else ""
    return f"*{md.quote(one.store, _NAME)}*: {', '.join(told)}{late}"


def _work(one: Work, *, reader: str) -> str:
    running = one.running
    what = f"*{md.quote(running.name, _NAME)}*" if running.name else f"*{md.capital(overview.noun(running.what))}*"
    by = f"by {md.mention(running.requester)}" if running.requester != reader else ""
    link = md.linked(one.link, "Results" if one.is_over else "Open") if one.link else ""
    return " · ".join(filter(None, [what, overview.stands(running), by, md.moment(running.since), link]))


def _troubles(found: Sequence[ServiceStatus]) -> list[Block]:
    lines = [overview.service_line(one) for one in found]
    return [md.header("Something is wrong"), *md.paragraphs(lines)] if lines else []


def _control(found: Control, approval: Approval, *, may_freeze: bool) -> Iterator[Block]:
    yield md.header("Controls")
    sent, limit = found.sent_today, approval.daily_limit
    mark = ":warning: " if sent >= limit * _NEARLY else ""
    is_frozen = "" if may_freeze else " · *frozen*"
    told = md.paragraph(f"{mark}*{shown(sent)}* of {shown(limit)} sent today{is_frozen}")
    yield {**told, "accessory": _start(Start.FREEZE, "Freeze payments")} if may_freeze else told
    lines = [f"*Who approves*: {_people(found.approvers)}", f"• Every payment: {_needs(approval.quorum)}"]
    lines += [
        f"• {md.capital(md.escape(rule.words))}: {_needs(rule.quorum, typed=rule.typed_amount)}"
        for rule in approval.rule
    ]
    yield from md.paragraphs(lines)
    if found.out_of_reach:
        lines = [f":warning: {_title(one)}: {short_of_people(short)}" for one, short in found.out_of_reach]
        yield from md.paragraphs(["*Too few approvers*", *lines])
    if found.failed:
        failed = [(one, md.mention(one.instruction.requester)) for one in found.failed]
        lines = [f":x: {_title(one)} · {_stands(one)} · {requester}" for one, requester in failed]
        yield from md.paragraphs(["*Failed in the last 7 days*", *lines])


def _needs(quorum: int, *, typed: bool = False) -> str:
    return md.counted(quorum, "approval") + (", amount typed" if typed else "")


def _people(found: Sequence[str] | None) -> str:
    if found is None:
        return "Slack didn't say. Refresh in a minute."
    if not found:
        return ":warning: *no one*"
    return f"{md.series([md.mention(one) for one in found[:_MOST_PEOPLE]], len(found))}, never the requester"


def _title(one: Listed, *, whole: bool = False) -> str:
    """Return the title of a request, amount first; ``whole`` adds the address for approvers."""
    said = in_full(one.instruction) if whole else headline(one.instruction)
    said = md.escape(md.shorten(said, _TITLE))
    return f"*{md.linked(one.link, said.replace('|', '¦'))}*" if one.link else f"*{said}*"


def _stands(one: Listed) -> str:
    instruction = one.instruction
    votes = f" ({len(one.votes)} of {instruction.requirement.quorum})" if instruction.state is State.AWAITING else ""
    return f"{md.capital(word_of(instruction))}{votes}"


def _purpose(instruction: Instruction) -> str:
    return md.typed(clean(instruction.payload.description), _PURPOSE)
