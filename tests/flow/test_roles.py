"""Who may do what, where: every verb and button for every role, in every kind of conversation, with its answer.

The wrong people stand in the policy's groups on purpose: guest, outsider, deactivated and bot are requesters,
approvers and admins by list, and still nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from handlers import pay, switchboard
from handlers.registry import FILE_ACTIONS, make_router
from tests.support.bulk import ask as ask_for_many
from tests.support.clock import ManualClock
from tests.support.elsewhere import made
from tests.support.rig import (
    ADA,
    APPROVALS,
    EVE,
    FINANCE,
    GUS,
    LIN,
    MARIA,
    OLGA,
    POLICY,
    RANDOM,
    TOM,
    ZOE,
    Rig,
    approve_card,
)
from tests.workflows.looking import newest, read, requests

IDA, RPA = "U0IDA", "U0RPA"
ROLES = {
    "requester": MARIA,
    "approver": ADA,
    "both": TOM,
    "admin": OLGA,
    "no role": ZOE,
    "guest": GUS,
    "outsider": EVE,
    "gone": IDA,
    "bot": RPA,
}
"""Columns of the tables. ``both`` is requester and approver; ``gone`` is deactivated."""

PRIVATE, PEOPLE = "C0PRIVATE", "D0PEOPLE"
PLACES = {"public": FINANCE, "private": PRIVATE, "no member": RANDOM, "with the bot": "", "between people": PEOPLE}
"""Kinds of conversation: channels with the bot and one without it, direct messages with and without it."""
HEARS = {
    "public": "",
    "private": "",
    "no member": "/invite @Switchboard",
    "with the bot": "",
    "between people": "I'll message you",
}
"""What who asked is told of where the news come."""

COMMANDS = """
                       requester    approver     both      admin        no role      guest  outsider  gone  bot
/pay help              usage        usage        usage     usage        usage        usage  nothing   usage usage
/pay                   start        start        start     start        start        start  nothing   start start
/pay send              form         -requester   form      -requester   -requester   guest  nothing   gone  bot
/pay send LINE         asked        -requester   asked     -requester   -requester   guest  nothing   gone  bot
/pay now               form         -requester   form      -requester   -requester   guest  nothing   gone  bot
/pay now LINE          asked        -requester   asked     -requester   -requester   guest  nothing   gone  bot
/pay collect           form         -requester   form      -requester   -requester   guest  nothing   gone  bot
/pay collect LINE      collecting   -requester   collecting -requester  -requester   guest  nothing   gone  bot
/pay show HERS         card         card         card      card         unknown      guest  nothing   gone  bot
/pay show HIS          card         card         card      card         unknown      guest  nothing   gone  bot
/pay show THEIRS       record       record       record    record       unknown      guest  nothing   gone  bot
/pay list              table        table        table     table        -role        guest  nothing   gone  bot
/pay list payouts 1    table        table        table     table        -role        guest  nothing   gone  bot
/pay events HERS       events       events       events    events       -role        guest  nothing   gone  bot
/pay account           form         form         form      form         -role        guest  nothing   gone  bot
/pay account LINE      account      account      account   account      -role        guest  nothing   gone  bot
/pay partner           -charge      balance      balance   balance      -charge      guest  nothing   gone  bot
/pay bulk              form         -requester   form      -requester   -requester   guest  nothing   gone  bot
/pay bulk show MANY    bulk         bulk         bulk      bulk         -role        guest  nothing   gone  bot
/pay bulk items MANY   items        items        items     items        -role        guest  nothing   gone  bot
/pay bulk failed MANY  none         none         none      none         -role        guest  nothing   gone  bot
/pay bulk history      history      history      history   history      -role        guest  nothing   gone  bot
/pay bulk cancel MANY all not-sent  -requester   not-sent  -requester   -requester   guest  nothing   gone  bot
/pay bulk template     template     -requester   template  -requester   -requester   guest  nothing   gone  bot
/pay approvals         0-for-you    3-for-you    1-for-you 0-for-you    empty        guest  nothing   gone  bot
/pay freeze LINE       -freezer     frozen       frozen    frozen       -freezer     guest  nothing   gone  bot
/pay unfreeze          -thawer      thawed       thawed    -thawer      -thawer      guest  nothing   gone  bot
/pay nonsense          no-verb      no-verb      no-verb   no-verb      no-verb      no-verb nothing  no-verb no-verb
/switchboard help      usage        usage        usage     usage        usage        usage  nothing   usage usage
/switchboard status    -charge      status       status    status       -charge      guest  nothing   gone  bot
/switchboard unread    -charge      unread       unread    unread       -charge      guest  nothing   gone  bot
/switchboard jobs      -charge      jobs         jobs      jobs         -charge      guest  nothing   gone  bot
/switchboard audit HERS story       story        story     story        unknown      guest  nothing   gone  bot
/switchboard audit HIS unknown      story        story     story        unknown      guest  nothing   gone  bot
/switchboard audit export -charge   export       export    export       -charge      guest  nothing   gone  bot
/switchboard routes    -charge      routes       routes    routes       -charge      guest  nothing   gone  bot
"""
"""Each verb for each role, the same in every kind of conversation. HERS was asked for by the requester, HIS by
``both``, THEIRS by somebody else at the partner; MANY are two payments at once, asked for by ``both``."""

BUTTONS = """
                       requester    approver     both      admin        no role      guest  outsider  gone  bot
approve HERS           own          voted        voted     -approver    -approver    guest  elsewhere gone  bot
approve HIS            -approver    voted        own       -approver    -approver    guest  elsewhere gone  bot
reject HERS            own          rejected     rejected  -approver    -approver    guest  elsewhere gone  bot
reject HIS             -approver    rejected     own       -approver    -approver    guest  elsewhere gone  bot
retry HERS             own          typed        typed     -approver    -approver    guest  elsewhere gone  bot
close HERS             own          closed       closed    -approver    -approver    guest  elsewhere gone  bot
withdraw HERS          withdrawn    -owner       -owner    reasoned     -owner       -owner -owner    -owner -owner
cancel MANY            canceling    -requester   canceling -requester   -requester   guest  elsewhere gone  bot
next                   page         page         page      page         -role        guest  elsewhere gone  bot
"""
"""Each button for each role; Withdraw also on the copies in every kind of conversation."""

PAYMENTS = {"payout", "purchase", "operations", "bulk"}
"""What the ids of their buttons begin with."""

SAYS = {
    "usage": "More about one: ",
    "start": "Pay someone",
    "asked": "Request sent: ",
    "collecting": "Creating a checkout link",
    "card": ".00 to Ana Maria Lopez (ana@example.com)",
    "record": "elsewhere@example.com",
    "table": "1 to 3 of 3",
    "events": "No webhooks delivered",
    "account": "Ana Maria Lopez",
    "balance": "Balance",
    "bulk": "$2.00 · 2 payments",
    "items": "Payments of L-",
    "none": "Failed payments of L-",
    "history": "No bulk payments yet",
    "not-sent": "wasn't sent yet",
    "template": "I sent you a template",
    "canceling": "cancel 1 waiting payment ($1.00)",
    "0-for-you": "Nothing for you.",
    "1-for-you": "*1 needs you.*",
    "3-for-you": "*3 need you.*",
    "empty": "all caught up",
    "frozen": "Payments are frozen",
    "thawed": "Payments are unfrozen",
    "story": "> requested",
    "status": "Payments: ",
    "unread": "No unread answers",
    "jobs": "in progress",
    "export": "in your direct messages",
    "routes": "API routes are unconfirmed",
    "no-verb": "nonsense",
    "unknown": "I can't find ",
    "-requester": "You don't have permission to request payments",
    "-role": "You don't have permission to see payments",
    "-charge": "Only approvers and admins can see",
    "-approver": "Only approvers can do this",
    "-freezer": "Only approvers and admins can freeze",
    "-thawer": "Only approvers can unfreeze",
    "-owner": "Only the requester or an admin",
    "own": "You can't approve your own request",
    "guest": "Guests can't",
    "elsewhere": "Only members of this workspace",
    "gone": "Your account is deactivated",
    "bot": "Bots can't",
    "voted": "Your approval is recorded",
    "page": "page 2 of 2",
}
"""The answer's own words for each outcome; ``form`` opens one and ``nothing`` says nothing."""
STORES = {"asked", "collecting"}

LINES = {
    "/pay send LINE": '/pay send ana@example.com 25.00 "March translation"',
    "/pay now LINE": '/pay now ana@example.com 25.00 "March translation"',
    "/pay collect LINE": '/pay collect ana@example.com "Books" book=2x10.00',
    "/pay account LINE": "/pay account ana@example.com",
    "/pay freeze LINE": "/pay freeze the bank called",
}


def cells(table: str) -> Iterator[tuple[str, dict[str, str]]]:
    for line in table.strip("\n").splitlines()[1:]:
        words = line.split()
        yield " ".join(words[: -len(ROLES)]), dict(zip(ROLES, words[-len(ROLES) :], strict=True))


async def furnished(database_url: str, *, quorum: int = 1) -> Rig:
    lists = f'admins = ["{OLGA}", "{GUS}", "{EVE}", "{IDA}", "{RPA}"]'
    policy = POLICY.replace(f'admins = ["{OLGA}"]', lists).replace("quorum = 1", f"quorum = {quorum}", 1)
    rig = await Rig.open(database_url=database_url, clock=ManualClock(), policy=policy)
    place = rig.workspace
    place.add_user(IDA, "ida", deleted=True)
    place.add_user(RPA, "rpa", bot=True)
    everybody = [*ROLES.values(), LIN]
    place.set_group("S0FINANCE", [MARIA, TOM, GUS, EVE, IDA, RPA])
    place.set_group("S0TREASURY", [ADA, LIN, TOM, GUS, EVE, IDA, RPA])
    place.add_channel(PRIVATE, "secret", members=everybody, private=True)
    place.add_channel(PEOPLE, "directmessage", members=everybody, private=True, bot_member=False)
    return rig


pytestmark = pytest.mark.rig(opened_by=furnished)


class Actor:
    def __init__(self, rig: Rig, role: str, wrong: list[str]) -> None:
        self.rig = rig
        self.role = role
        self.user = ROLES[role]
        self.place = rig.workspace
        self.wrong = wrong

    def notes(self, what: str) -> None:
        self.wrong.append(f"{self.role}: {what}")

    async def types(self, text: str, channel: str, expected: str, *, where: str) -> None:
        self.rig.clock.advance(1)  # nobody may type more than one a second for long
        stored, public, heard = await self._stored(), self._public(), len(self.place.ephemerals(self.user))
        name, _, rest = text.partition(" ")
        ack = await self.place.slash(self.user, channel, name, rest, force=True)
        assert ack.ok
        said = await self._hears(heard, expected)
        self._hold(f"{text} ({where})", expected, said)
        if expected in STORES and HEARS[where] not in said:
            self.notes(f"{text} ({where}): {said}")
        if await self._stored() - stored != (expected in STORES):
            self.notes(f"{text} ({where}): stored")
        if self._public() != public and expected not in ("template", "export"):  # files, in direct messages
            self.notes(f"{text} ({where}): the answer was shown to everybody")

    async def presses(self, action: str, card: Message, expected: str, *, where: str) -> None:
        """Press a button, offered to them or not, fill in its form, and note when the outcome is another one."""
        heard, before = len(self.place.ephemerals(self.user)), await self._about(card)
        buttons = [one for version in self.place.versions(card.channel, card.ts) for one in version.buttons]
        value = next(one.value for one in reversed(buttons) if one.action_id == f"payout.{action}")
        ack = await self.place.click(
            self.user, card.channel, card.ts, f"payout.{action}", action={"value": value}, force=True
        )
        assert ack.ok
        if expected in DONE:
            if action in FORMS and expected != "withdrawn":
                typed = before.amount if FORMS[action] == "amount" else "No invoice"
                await self.place.submit(self.user, {FORMS[action]: typed})
            after = await self._about(card)
            if (after.state, self.user in (after.decided_by, *after.voters)) != (DONE[expected], True):
                self.notes(f"{action} ({where}): it is {after.state} by {after.decided_by}, {after.voters}")
            return
        self._hold(f"{action} ({where})", expected, await self._hears(heard, expected))
        if await self._about(card) != before:
            self.notes(f"{action} ({where}): it changed something")

    def _hold(self, what: str, expected: str, said: str) -> None:
        fits = said == expected if expected in ("form", "nothing") else SAYS[expected] in said
        if not fits:
            self.notes(f"{what}: expected {expected}, heard {said!r}")
        if self.place.modal(self.user) is not None:
            self.place._state.views.close_all(self.user)

    async def _hears(self, heard: int, expected: str) -> str:
        def found() -> str | None:
            if self.place.modal(self.user) is not None:
                return "form"
            told = [one.plain for one in self.place.ephemerals(self.user)[heard:] if "Asking the" not in one.text]
            return "\n".join(told) or None

        return found() or "nothing" if expected == "nothing" else await self.place.until(found)

    async def _about(self, card: Message) -> "Standing":
        found = next(one for one in await requests(self.rig) if one.reference in card.text)
        votes = await read(self.rig, lambda tx: tx.votes.of(found.id, found.round))
        amount = f"{found.cents / 100:.2f}"
        return Standing(found.state, found.decided_by, tuple(vote.person for vote in votes), amount)

    async def _stored(self) -> int:
        return len(await requests(self.rig))

    def _public(self) -> int:
        return sum(len(self.place.messages(channel)) for channel in self.place.channels)


class Standing(NamedTuple):
    state: State
    decided_by: str
    voters: tuple[str, ...]
    amount: str


FORMS = {"reject": "reason", "close": "reason", "withdraw": "reason", "retry": "amount"}
"""The field of the form that a button opens."""
DONE = {
    "voted": State.AWAITING,
    "typed": State.NEEDS_HUMAN,
    "rejected": State.REJECTED,
    "closed": State.CLOSED,
    "withdrawn": State.WITHDRAWN,
    "reasoned": State.WITHDRAWN,
}
"""How the request stands after a click that had an effect; who asked withdraws it without a form.
Two voices are needed, so that one alone shows."""


async def asked(rig: Rig, user: str, channel: str = FINANCE) -> str:
    number = len(await requests(rig))
    await rig.pay(f'send ana@example.com {25 + number}.00 "March translation"', user=user, channel=channel)
    return (await newest(rig)).reference


async def asked_in_bulk(rig: Rig) -> str:
    """A new request for two payments at once, which repeat no others, and of which one would wait in escrow."""
    number = len(await requests(rig))
    rig.payments.add_account(f"p{number}@example.com", full_name="Paula")
    await ask_for_many(rig, f"p{number}@example.com,1.00\nheld{number}@example.com,1.00", user=TOM)
    await rig.workspace.close(TOM)
    return (await newest(rig)).reference


async def pending_in_bulk(rig: Rig) -> str:
    reference = await asked_in_bulk(rig)
    for user in (LIN, ADA):
        await approve_card(rig, card_of(rig, reference), user)
        await rig.settle()
    for _ in range(3):
        await rig.payments.advance()
        await rig.pass_time(60, steps=2)
    return reference


async def cancels_in_bulk(actor: Actor, reference: str, expected: str) -> None:
    heard, stored = len(actor.place.ephemerals(actor.user)), await actor._stored()
    card = card_of(actor.rig, reference, FINANCE)
    await actor.place.click(actor.user, FINANCE, card.ts, "bulk.cancel", force=True)
    actor._hold("cancel in bulk", expected, await actor._hears(heard, expected))
    if await actor._stored() - stored != (expected == "canceling"):
        actor.notes("cancel in bulk: stored")


def card_of(rig: Rig, reference: str, channel: str = APPROVALS) -> Message:
    return next(one for one in rig.cards(channel) if reference in one.text)


async def place_of(rig: Rig, where: str, user: str) -> str:
    return PLACES[where] or rig.workspace.open_dm(user).id


def test_tables_cover_every_verb_and_button() -> None:
    rows = [what.split() for what, _ in cells(COMMANDS)]
    for name, verbs in (("/pay", pay.COMMAND.verbs), ("/switchboard", switchboard.COMMAND.verbs)):
        typed = {" ".join(words[1:end]) for words in rows if words[0] == name for end in (2, 3)}
        assert {verb.name for verb in verbs} <= typed
        alone = {verb.name for verb in verbs if verb.alone is not None}
        assert alone <= {words[1] for words in rows if words[0] == name and len(words) == 2}
    router = make_router(FILE_ACTIONS, prefix="")
    told = {what.split()[0] for what, _ in cells(BUTTONS)}
    only_links, only_in_forms = {"checkout"}, {"template"}  # who can open no form cannot press what stands in it
    of_payments = [action for action in router.actions if action.partition(".")[0] in PAYMENTS]
    names = {action.partition(".")[2] for action in of_payments}
    answers = {"send_anyway", "edit"}  # who asked alone is asked: every role presses them in test_no_account.py
    elsewhere = {"return", "take_in"}  # every role presses them in test_return_money.py and test_take_in.py
    elsewhere |= {"menu", "details", "resend"}  # in test_card_menu.py and test_send_again.py
    elsewhere |= {"release"}  # in test_held_back.py
    elsewhere |= {"again", "pay_checked", "list", "good", "good_typed"}  # in the test below
    assert names - {"previous"} - only_links - only_in_forms - answers - elsewhere == told


@pytest.mark.parametrize("action", ["bulk.again", "bulk.pay_checked", "bulk.good", "bulk.good_typed"])
@pytest.mark.parametrize("user", [ADA, OLGA, ZOE, GUS, EVE])
async def test_bulk_needs_the_requester_role(rig: Rig, user: str, action: str) -> None:
    await rig.pay()
    await rig.click(rig.cards(FINANCE)[0], action, user=user, value="any", force=True)
    assert rig.workspace.modal(user) is None
    assert all(one.text.startswith(":no_entry_sign:") for one in rig.workspace.ephemerals(user))
    assert len(await requests(rig)) == 1


def tried_in(number: int, role: str, outcomes: dict[str, str]) -> list[str]:
    """The conversations in which a role tries the verb of a row: all who come to one outcome share them.

    A role that is refused before the verb is read counts as one outcome.
    """

    def shared(one: str) -> str:
        return "nobody" if outcomes[one] in ("guest", "nothing", "gone", "bot") else outcomes[one]

    sharing = [one for one in ROLES if shared(one) == shared(role)]
    mine, most = sharing.index(role), min(len(sharing), len(PLACES))
    return [where for place, where in enumerate(PLACES, number) if (place - mine) % most == 0]


@pytest.mark.parametrize("role", ROLES)
async def test_every_verb_in_every_conversation(rig: Rig, role: str) -> None:
    names = {"HERS": await asked(rig, MARIA), "HIS": await asked(rig, TOM), "THEIRS": elsewhere(rig)}
    names["MANY"] = await asked_in_bulk(rig)
    actor = Actor(rig, role, [])
    for number, (what, outcomes) in enumerate(cells(COMMANDS)):
        for where in tried_in(number, role, outcomes):
            text = LINES.get(what, what)
            for name, reference in names.items():
                text = text.replace(name, reference)
            if what == "/pay unfreeze":
                await rig.workspace.slash(OLGA, FINANCE, "/pay", "freeze careful")
            await actor.types(text, await place_of(rig, where, actor.user), outcomes[role], where=where)
            if "freeze" in what:
                await rig.workspace.slash(ADA, FINANCE, "/pay", "unfreeze")
    assert not actor.wrong, "\n".join(actor.wrong)


def by_effect(outcomes: dict[str, str]) -> list[str]:
    """The roles; first those who change nothing, so that they can all press the same button."""
    return sorted(ROLES, key=lambda role: outcomes[role] in {*DONE, "canceling"})


@pytest.mark.rig(quorum=2)
async def test_every_button(rig: Rig) -> None:
    """On one card for all who change nothing and the first who does; each other one has a card of their own."""
    wrong: list[str] = []
    for what, outcomes in sorted(cells(BUTTONS), key=lambda row: row[0] != "next"):
        action, _, whose = what.partition(" ")
        if action == "withdraw":
            continue
        reference = ""
        for role in by_effect(outcomes):
            actor = Actor(rig, role, wrong)
            if action == "next":
                await turns_the_page(actor, outcomes[role])
            elif action == "cancel":
                reference = reference or await pending_in_bulk(rig)
                await cancels_in_bulk(actor, reference, outcomes[role])
            else:
                reference = reference or await asked_to(rig, action, whose)
                await actor.presses(action, card_of(rig, reference), outcomes[role], where=whose)
            if outcomes[role] in {*DONE, "canceling"}:
                reference = ""
    assert not wrong, "\n".join(wrong)


async def asked_to(rig: Rig, action: str, whose: str) -> str:
    reference = await asked(rig, MARIA if whose == "HERS" else TOM)
    if action in ("retry", "close"):
        await lose_the_commit(rig, reference)
    return reference


@pytest.mark.rig(quorum=2)
async def test_withdrawing_on_every_copy(rig: Rig) -> None:
    [outcomes] = [outcomes for what, outcomes in cells(BUTTONS) if what.startswith("withdraw")]
    wrong: list[str] = []
    for where in PLACES:
        copy: Message | None = None
        for role in by_effect(outcomes):
            copy = copy or await copy_of_hers(rig, where)
            await Actor(rig, role, wrong).presses("withdraw", copy, outcomes[role], where=where)
            if outcomes[role] in DONE:
                copy = None
    assert not wrong, "\n".join(wrong)


async def copy_of_hers(rig: Rig, where: str) -> Message:
    reference = await asked(rig, MARIA, await place_of(rig, where, MARIA))
    copies = [channel for channel in rig.workspace.channels for one in rig.cards(channel) if reference in one.text]
    [mine] = set(copies) - {APPROVALS}
    return card_of(rig, reference, mine)


async def lose_the_commit(rig: Rig, reference: str) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, operation="commit_payout"))
    card = card_of(rig, reference)
    for user in (LIN, ADA):
        await rig.workspace.click(user, APPROVALS, card.ts, "payout.approve")
    await rig.settle()
    await rig.pass_time(1_200, steps=6)


async def turns_the_page(actor: Actor, expected: str) -> None:
    """Turn the page of one's own list; who can have none presses the button of somebody else's."""
    rig, place = actor.rig, actor.place
    for number in range(len(rig.payments.operations), 11):
        elsewhere(rig, number)
    owner = actor.user if expected == "page" else MARIA
    await place.slash(owner, FINANCE, "/pay", "list")
    mine = await place.until(
        lambda: next((one for one in reversed(place.ephemerals(owner)) if "page 1 of 2" in one.text), None)
    )
    heard = len(place.ephemerals(actor.user))
    await place.click(actor.user, FINANCE, mine.ts, "operations.next", force=True)
    if expected == "page":
        await place.until(lambda: SAYS["page"] in place.message(FINANCE, mine.ts).text)
        return
    actor._hold("next", expected, await actor._hears(heard, expected))
    assert place.message(FINANCE, mine.ts) == mine


def elsewhere(rig: Rig, number: int = 0) -> str:
    return made(rig, email="elsewhere@example.com", cents=100 + number, code=None).id
