"""Every verb of each command as its help says it, and what each of its arguments has to be."""

from inline_snapshot import snapshot

from handlers.registry import COMMANDS


def test_help_shows_every_declared_verb() -> None:
    """Usage, what it does and an example, in the order of the help."""
    declared = [
        [f"/{one.name}: {one.summary}", *(f"{verb.usage}: {verb.summary} | {verb.example}" for verb in one.verbs)]
        for one in COMMANDS
    ]
    assert "\n".join(line for lines in declared for line in lines) == snapshot("""\
/pay: Pay people, with approval
send <email> <amount> <description> [code=…]: request a payout; it is sent once it's approved | send ana@example.com \
25.00 "March translation"
now <email> <amount> <description> [code=…]: the same, but creates the payout only after approval | now \
ana@example.com 25.00 "March translation"
collect <email> <description> <item>=<qty>x<unit>… [code=…]: request money; you get a checkout link | collect \
ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"
show <operation>: show a payment and its history | show P-4F7K2M
list [payouts|purchases] [page] [per=…]: list payouts and purchases | list payouts page=2 per=25
events <payout>: webhook deliveries for a payout | events P-4F7K2M
account <email>: look up the account behind an e-mail address | account ana@example.com
partner: our account and balance (approvers and admins) | partner
bulk: request many payments with a file or typed rows | bulk
bulk show <bulk>: show a bulk payment | bulk show L-4F7K2M
bulk items <bulk> [page]: list its payments | bulk items L-4F7K2M 2
bulk failed <bulk> [page]: list the failed ones, with the reason | bulk failed L-4F7K2M
bulk history [page]: list all bulk payments | bulk history
bulk cancel <bulk> <row…|all>: request to cancel payments that are still waiting | bulk cancel L-4F7K2M 3 5
bulk template: get a file to fill in | bulk template
approvals: what waits for approval, yours first | approvals
freeze <reason>: freeze all payments (approvers and admins) | freeze the bank called
unfreeze: vote to unfreeze payments | unfreeze
/deliver: Book deliveries and track them
stores [page]: list the stores | stores 2
store add|show|edit [store]: show, edit or add a store (admins add) | store show Centro
quote: see what a delivery would cost | quote
book: book a delivery; you see the price first | book
show <booking>: show a booking | show B-4F7K2M
cancel <booking> [reason]: cancel a booking | cancel B-4F7K2M "customer called it off"
start <booking>: look for a driver now | start B-4F7K2M
prebook [show|cancel <id>] [reason]: get a link on which the customer enters the address (sandbox only) | prebook \
show V-4F7K2M
webhooks [on|off] <store>: show a store's webhooks; admins turn them on or off | webhooks on Centro
certify: the certification checklist with its evidence | certify
/localize: Work on audio, video, documents and texts
gender <url>: detect the gender of a speaker in English, Indian and other languages | gender \
https://example.com/voice.mp3
separate <url>: split a song into vocals and music | separate https://example.com/song.mp3
convert <url> [target=…]: convert audio to .wav or .mp3 | convert https://example.com/talk.flac target=mp3
extract-audio <url> [rate=…] [width=…] [channels=…]: extract the audio of a video, up to 10 minutes | extract-audio \
https://example.com/film.mp4 rate=16000
transcribe <url> [locale=…]: turn speech into text | transcribe https://example.com/call.wav locale=en-GB
emotion <url or text>: detect the emotion in speech or in a text | emotion I am so glad that you came
paraphrase [language=…] <text>: rephrase an English text | paraphrase The meeting was moved to Friday.
summarize [language=…] <text>: summarize an English text | summarize The meeting was moved to Friday because the room \
was taken. Everybody was told in time, and nobody minded. We meet at nine.
translate [from=…] [to=…] <text>: translate a text; add from= if I can't tell its language | translate from=en to=fr \
Where is the station?
transliterate [from=…] <text>: write a text in Latin letters | transliterate नमस्ते
speak [locale=…] [gender=…] [speaker=…] [speed=…] [pitch=…] [volume=…] <text>: turn a text into speech | speak \
locale=en-GB Welcome aboard
extract-text <url> [language=…]: extract the text of a document | extract-text https://example.com/contract.pdf
/email: Check e-mail addresses, one by one or as a list
check <address…>: check one or several addresses | check ana@example.com bo@example.com
file: check a list from a file | file
/switchboard: Status, jobs and audit log
status: services, what is in progress, how long queues wait | status
unread: provider answers that could not be read, and how to fix it | unread
jobs: what is in progress: payments, calls, lists, bookings | jobs
audit <id>: history of one request or booking | audit P-4F7K2M
audit export: the whole audit log as a file, in a direct message | audit export
routes: API routes that are not confirmed | routes""")
