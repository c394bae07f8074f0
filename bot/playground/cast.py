"""People, groups and channels of the playground, and the policy that names them."""

from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.workspace import Workspace

REQUESTER = "U0MARIA"
FINANCE = "C0FINANCE"
DELIVERIES = "C0DELIVERY"
FIRST_COMMAND = '/pay send ana@example.com 25.00 "March translation"'
SECOND_COMMAND = '/pay send kim@example.com 30.00 "Proofreading"'

BOOK = "/deliver book"
SAMPLE_NAME = "march-payouts.csv"
SAMPLE = """\
email,amount,note
ana@example.com,120.00,March translation
kim@example.com,85.50,Proofreading
ben@example.com,40.00,Captions
"""

POLICY = """\
# The playground's policy: the same form as policy.example.toml.
[channels]
approvals = "C0APPROVE"
payments  = "C0MONEY"
bookings  = "C0DELIVERY"
alerts    = "C0ALERTS"

[people]
requesters = ["S0FINANCE"]
approvers  = ["S0TREASURY"]
admins     = ["U0OLGA"]

[approval]
quorum         = 1
expires        = "24h"
execute_within = "60m"
daily_limit    = "25000.00"

[[approval.rule]]
over         = "1000.00"
quorum       = 2
typed_amount = true
"""


def furnish(workspace: Workspace) -> None:
    """Add the people, groups, channels, commands and shortcuts to the workspace."""
    people = {
        REQUESTER: ("maria", "Maria Silva", "Finance · requester", "#6a4bf0"),
        "U0ADA": ("ada", "Ada Okafor", "Treasury · approver", "#0b7a5c"),
        "U0LIN": ("lin", "Lin Chen", "Treasury · approver", "#b45309"),
        "U0OLGA": ("olga", "Olga Reis", "Admin", "#b5386b"),
        "U0ZOE": ("zoe", "Zoe Fox", "No role", "#4b6584"),
    }
    for user, (name, real_name, title, color) in people.items():
        email = f"{name}@example.com"
        workspace.add_user(user, name, real_name=real_name, email=email, title=title, avatar_color=color)
    gus = workspace.add_user("U0GUS", "gus", real_name="Gus Guest", email="gus@example.org", restricted=True)
    workspace.set_user(gus.id, title="Guest", avatar_color="#6b717a")
    eve = workspace.add_user("U0EVE", "eve", real_name="Eve Else", email="eve@example.net", team_id="T0OTHER")
    workspace.set_user(eve.id, title="From another company", avatar_color="#c0392b")
    workspace.add_group("S0FINANCE", "finance", name="Finance", users=[REQUESTER])
    workspace.add_group("S0TREASURY", "treasury", name="Treasury", users=["U0ADA", "U0LIN", "U0GUS", "U0EVE"])
    everybody = [*people, "U0GUS", "U0EVE"]
    workspace.add_channel(FINANCE, "finance", members=everybody, topic="Request payments here")
    workspace.add_channel("C0APPROVE", "approvals", members=everybody, topic="Requests waiting for approval")
    workspace.add_channel("C0MONEY", "payments", members=everybody, topic="Payment updates")
    workspace.add_channel(DELIVERIES, "deliveries", members=everybody, topic="Book deliveries here")
    workspace.add_channel("C0ALERTS", "alerts", members=everybody, topic="Needs attention")
    workspace.add_channel(
        "C0RANDOM",
        "random",
        members=everybody,
        bot_member=False,
        topic="/invite @Switchboard to use it here",
    )
    workspace.add_command(
        "/pay",
        hint="send | now | collect | show | list | events | account | partner | bulk | approvals | freeze | unfreeze | "
        "help",
        description="Pay people, with approval",
    )
    workspace.add_shortcut("use_file", "Use this file")
    workspace.add_shortcut("localize_text", "Localize this text")
    workspace.add_command(
        "/deliver",
        hint="stores | store | quote | book | show | cancel | start | prebook | webhooks | certify | help",
        description="Book deliveries and track them",
    )
    workspace.add_command(
        "/localize",
        hint="gender | separate | convert | extract-audio | transcribe | emotion | paraphrase | summarize | "
        "translate | transliterate | speak | extract-text | help",
        description="Work on audio, video, documents and texts",
    )
    workspace.add_command(
        "/email", hint="check | file | help", description="Check e-mail addresses, one by one or as a list"
    )
    workspace.add_command(
        "/switchboard",
        hint="status | unread | jobs | audit | routes | help",
        description="Status, jobs and audit log",
    )


def open_accounts(payments: PaymentsSimulator) -> None:
    """Add recipients to try, besides the simulator's own."""
    payments.add_account("kim@example.com", full_name="Kim Park", country="KOR")
    payments.add_account("ben@example.com", full_name="Ben Carter", country="USA")
    payments.add_account("lin@example.com", full_name="Lin Chen", country="PRT")
    payments.add_account("old@example.com", full_name="Olive Dormant", status="inactive", is_verified=False)


def open_stores(delivery: DeliverySimulator) -> None:
    """Add stores to deliver from."""
    delivery.add_store("Centro", point=("-0.2201", "-78.5123"))
    delivery.add_store("Norte", point=("-0.1807", "-78.4678"))
