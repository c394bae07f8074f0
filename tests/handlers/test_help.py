"""The help of each command, whole, and what each argument of its verbs has to be."""

import pytest
from inline_snapshot import snapshot

from handlers import deliver, email, localize, pay, switchboard
from handlers.grammar.verbs import Argument, SlashCommand, help_for, no_such_verb
from handlers.registry import COMMANDS


def printed(command: SlashCommand) -> str:
    return help_for(f"/{command.name}", command.summary, command.verbs).text


def takes(argument: Argument) -> str:
    """An argument's rule, and how many words it takes."""
    flags = [name for name in ("rest", "each", "optional") if getattr(argument, name)]
    return f"{argument.name}: {argument.rule}{''.join(f', {name}' for name in flags)}"


def test_the_help_of_payments() -> None:
    assert printed(pay.COMMAND) == snapshot("""\
*/pay*: Pay people, with approval
• `/pay send &lt;email&gt; &lt;amount&gt; &lt;description&gt;`: ask for a payout; it is sent once enough people have \
approved it
    for example `/pay send ana@example.com 25.00 "March translation"`
• `/pay now &lt;email&gt; &lt;amount&gt; &lt;description&gt;`: the same in one step: nothing exists at the service \
before it is approved
    for example `/pay now ana@example.com 25.00 "March translation"`
• `/pay collect &lt;email&gt; &lt;description&gt; &lt;item&gt;=&lt;qty&gt;x&lt;unit&gt;…`: ask somebody for money; \
answers with a checkout link for them
    for example `/pay collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"`
• `/pay show &lt;operation&gt;`: one operation as it is now, with what happened and who did it
    for example `/pay show P-4F7K2M`
• `/pay list [payouts|purchases] [page]`: what the service holds, page by page
    for example `/pay list payouts 2`
• `/pay events &lt;payout&gt;`: what the service recorded of its calls to us
    for example `/pay events P-4F7K2M`
• `/pay account &lt;email&gt;`: the account behind an e-mail address
    for example `/pay account ana@example.com`
• `/pay partner`: our own account and its balance, for approvers and admins
    for example `/pay partner`
• `/pay bulk`: ask for many payments with one file or typed rows; they are sent once enough people have approved them
    for example `/pay bulk`
• `/pay bulk show &lt;bulk&gt;`: one bulk payment as it is now
    for example `/pay bulk show L-4F7K2M`
• `/pay bulk items &lt;bulk&gt; [page]`: its payments with their hashes, page by page
    for example `/pay bulk items L-4F7K2M 2`
• `/pay bulk failed &lt;bulk&gt; [page]`: those that failed, with the reason
    for example `/pay bulk failed L-4F7K2M`
• `/pay bulk history [page]`: all bulk payments of the account
    for example `/pay bulk history`
• `/pay bulk cancel &lt;bulk&gt; &lt;hash…|all&gt;`: ask to cancel payments that are still pending: all of them, or \
some by row number or hash
    for example `/pay bulk cancel L-4F7K2M 3 9f86d081`
• `/pay bulk template`: a file to fill in, sent to you directly
    for example `/pay bulk template`
• `/pay approvals`: what waits for approval, for you first
    for example `/pay approvals`
• `/pay freeze &lt;reason&gt;`: stop all sending at once; any approver or admin may
    for example `/pay freeze the bank called`
• `/pay unfreeze`: your voice for sending again; it takes a quorum of approvers
    for example `/pay unfreeze`\
""")


def test_the_help_of_deliveries() -> None:
    assert printed(deliver.COMMAND) == snapshot("""\
*/deliver*: Book deliveries and follow them to the door
• `/deliver stores`: every store by name
    for example `/deliver stores`
• `/deliver store add|show|edit [store]`: look at a store, change one; admins make one
    for example `/deliver store show Centro`
• `/deliver quote`: what a delivery would cost; nothing is booked
    for example `/deliver quote`
• `/deliver book`: book a delivery; the price is shown before it is booked
    for example `/deliver book`
• `/deliver show &lt;booking&gt;`: one booking as it is now
    for example `/deliver show B-4F7K2M`
• `/deliver cancel &lt;booking&gt; [reason]`: cancel a booking, with a reason
    for example `/deliver cancel B-4F7K2M "customer called it off"`
• `/deliver start &lt;booking&gt;`: search for a driver now, while the booking is on hold
    for example `/deliver start B-4F7K2M`
• `/deliver prebook [show|cancel &lt;id&gt;] [reason]`: a link with which the customer enters the address (sandbox only)
    for example `/deliver prebook show V-4F7K2M`
• `/deliver webhooks [on|off] &lt;store&gt;`: what is registered for a store; admins register our addresses, or take \
them away
    for example `/deliver webhooks on Centro`
• `/deliver certify`: the certification checklist, each point with what was seen here
    for example `/deliver certify`\
""")


def test_the_help_of_localization() -> None:
    assert printed(localize.COMMAND) == snapshot("""\
*/localize*: Work on audio, video, documents and texts
• `/localize gender &lt;url&gt;`: tell the gender of the speaker of a recording
    for example `/localize gender https://example.com/voice.mp3`
• `/localize separate &lt;url&gt;`: split a song into its vocals and its music, two .mp3 files
    for example `/localize separate https://example.com/song.mp3`
• `/localize convert &lt;url&gt; [target=…]`: convert audio to .wav or .mp3
    for example `/localize convert https://example.com/talk.flac target=mp3`
• `/localize extract-audio &lt;url&gt; [rate=…] [width=…] [channels=…]`: take the sound of a video, at most 600 \
seconds long, as a .wav file
    for example `/localize extract-audio https://example.com/film.mp4 rate=16000`
• `/localize transcribe &lt;url&gt; [locale=…]`: write down what is said in a recording
    for example `/localize transcribe https://example.com/call.wav locale=en-GB`
• `/localize emotion &lt;url or text&gt;`: recognize the emotion in a recording or a text
    for example `/localize emotion I am so glad that you came`
• `/localize paraphrase [language=…] &lt;text&gt;`: say an English text in other words
    for example `/localize paraphrase The meeting was moved to Friday.`
• `/localize summarize [language=…] &lt;text&gt;`: shorten an English text that is long enough for it
    for example `/localize summarize The meeting was moved to Friday because the room was taken. Everybody was told in \
time, and nobody minded. We meet at nine.`
• `/localize translate [from=…] [to=…] &lt;text&gt;`: translate a text; from= says its language, unless its letters \
can be of one alone
    for example `/localize translate from=en to=fr Where is the station?`
• `/localize transliterate [from=…] &lt;text&gt;`: write a text of another script in English letters
    for example `/localize transliterate नमस्ते`
• `/localize speak [locale=…] [gender=…] [speaker=…] [speed=…] [pitch=…] [volume=…] &lt;text&gt;`: make speech of a \
text, as an audio file
    for example `/localize speak locale=en-GB Welcome aboard`
• `/localize extract-text &lt;url&gt; [language=…]`: read the text of a document
    for example `/localize extract-text https://example.com/contract.pdf`\
""")


def test_the_help_of_lists() -> None:
    assert printed(email.COMMAND) == snapshot("""\
*/email*: Process e-mail addresses, one by one or as a list
• `/email check &lt;address…&gt;`: what the service says about one or several addresses
    for example `/email check ana@example.com bo@example.com`
• `/email file`: process a list: choose a file, its column, and whether the service gets it whole or row by row
    for example `/email file`\
""")


def test_the_help_of_the_operator() -> None:
    assert printed(switchboard.COMMAND) == snapshot("""\
*/switchboard*: See how Switchboard stands, what it did, and who told it to
• `/switchboard status`: services, what is under way, how long queues wait
    for example `/switchboard status`
• `/switchboard unread`: service answers that could not be read, and the lines to fix it
    for example `/switchboard unread`
• `/switchboard jobs`: what is under way: payments, calls, lists, bookings
    for example `/switchboard jobs`
• `/switchboard audit &lt;id&gt;`: what happened to one request or booking, who did it and when
    for example `/switchboard audit P-4F7K2M`
• `/switchboard audit export`: the whole audit as a file, in a direct message
    for example `/switchboard audit export`
• `/switchboard routes`: what is assumed about the services and not confirmed
    for example `/switchboard routes`\
""")


def test_what_each_argument_has_to_be() -> None:
    """Each rule, with the verbs that it holds for."""
    found: dict[str, list[str]] = {}
    for command in COMMANDS:
        for verb in command.verbs:
            for argument in verb.arguments:
                found.setdefault(takes(argument), []).append(f"{command.name} {verb.name}")
    assert {rule: ", ".join(verbs) for rule, verbs in found.items()} == snapshot(
        {
            "email: an e-mail address such as ana@example.com": "pay send, pay now, pay collect, pay account",
            "amount: an amount in USD such as 25.00": "pay send, pay now",
            "description: 1 to 500 characters that say what it is for, rest": "pay send, pay now",
            "description: 1 to 500 characters that say what it is for": "pay collect",
            "item: one or more items such as web=2x10.00, each": "pay collect",
            "operation: a reference such as P-4F7K2M, or the operation's id": "pay show",
            "payouts|purchases: payouts or purchases, optional": "pay list",
            "page: a page number such as 2, optional": "pay list, pay bulk items, pay bulk failed, pay bulk history",
            "payout: a reference such as P-4F7K2M, or the operation's id": "pay events",
            "bulk: a reference such as L-4F7K2M, or the service's id": (
                "pay bulk show, pay bulk items, pay bulk failed, pay bulk cancel"
            ),
            "hash: all, or row numbers of pending payments, or the first eight digits of their hashes, each": (
                "pay bulk cancel"
            ),
            "reason: a few words that say why, rest": "pay freeze",
            "add|show|edit: add or show or edit": "deliver store",
            "store: the name of a store, rest, optional": "deliver store, deliver webhooks",
            "booking: a reference such as B-4F7K2M or V-4F7K2M, or the booking's number at the service": (
                "deliver show, deliver cancel, deliver start"
            ),
            "reason: why, rest, optional": "deliver cancel, deliver prebook",
            "show|cancel: show or cancel": "deliver prebook",
            "id: a reference such as B-4F7K2M or V-4F7K2M, or the booking's number at the service": "deliver prebook",
            "on|off: on or off, optional": "deliver webhooks",
            "line: an address that begins with https://, rest": (
                "localize gender, localize separate, localize convert, localize extract-audio, "
                "localize transcribe, localize extract-text"
            ),
            "line: an address or a text, rest": "localize emotion",
            "line: a text, rest": (
                "localize paraphrase, localize summarize, localize translate, localize transliterate, localize speak"
            ),
            "address: an e-mail address such as ana@example.com, each": "email check",
            "id: a reference such as P-4F7K2M or B-4F7K2M, or the operation's id": "switchboard audit",
        }
    )


@pytest.mark.parametrize("given", ["&lt;b&gt;", "<b>"])
def test_a_verb_that_is_none_is_told_as_it_was_typed(given: str) -> None:
    assert no_such_verb(given, "/email", email.COMMAND.verbs).text == snapshot("""\
:pencil2: *verb*: `&lt;b&gt;` is not something `/email` can do. It is one of `check`, `file` or `help`.
For example: `/email check ana@example.com bo@example.com`\
""")
