"""A payments service with another dialect: its routes, and the services file for it."""

from bot.playground.simulators.payments import Dialect

ROUTES = {
    "list_operations": ("GET", "/v2/movements"),
    "get_operation": ("GET", "/v2/movement"),
    "create_payout": ("POST", "/v2/transfers"),
    "one_step_payout": ("PUT", "/v2/transfers/now"),
    "commit_payout": ("PATCH", "/v2/transfers/confirm"),
    "payout_events": ("GET", "/v2/transfers/log"),
    "create_purchase": ("POST", "/v2/sales"),
    "get_purchase": ("GET", "/v2/sales/{id}/detail"),
    "partner": ("GET", "/v2/whoami"),
    "account_status": ("POST", "/v2/people"),
}


THEIRS = Dialect(
    routes=ROUTES,
    prefix="acme",
    names={
        "id": "uid",
        "status": "state",
        "amount": "value",
        "code": "reference",
        "description": "memo",
        "operation_type": "kind",
        "email": "recipient",
        "confirmation_uri": "done_url",
        "cancel_uri": "canceled_url",
        "failure_uri": "failed_url",
        "callback_uri": "sold_url",
        "items": "lines",
        "quantity": "count",
        "page": "p",
        "perPage": "size",
        "type": "kind",
        "currentPage": "page_no",
        "lastPage": "pages",
        "total": "rows",
        "from": "first",
        "to": "last",
        "data": "list",
        "fullName": "name",
        "balance": "funds",
        "get_operation.id": "uid",
        "commit_payout.id": "uid",
        "payout_events.id": "X-Transfer",
        "payout_events.url": "target",
        "payout_events.type": "about",
        "payout_events.response_status": "answered",
        "payout_events.created_at": "at",
    },
    places={"commit_payout": "body", "payout_events": "header", "account_status": "body"},
)


OURS = """
[payments]
field_prefix    = "acme"
list_parameters = "query"
item_amount     = "line"

[payments.records]
operation = { id = "uid", code = "reference", status = "state", amount = "value", description = "memo", operation_type = "kind", items = "lines", item_description = "memo", item_amount = "value", item_quantity = "count" }

[payments.list_operations]
path   = "/v2/movements"
fields = { page = "p", per_page = "size", type = "kind" }
reply  = { page = "page_no", last_page = "pages", per_page = "size", total = "rows", first = "first", last = "last", operations = "list" }

[payments.get_operation]
path       = "/v2/movement"
parameters = "query"
fields     = { id = "uid" }

[payments.create_payout]
path   = "/v2/transfers"
fields = { email = "recipient", description = "memo", amount = "value", code = "reference", confirmation_uri = "done_url", failure_uri = "failed_url", cancel_uri = "canceled_url" }

[payments.one_step_payout]
method    = "PUT"
path      = "/v2/transfers/now"
fields    = { email = "recipient", description = "memo", amount = "value", code = "reference", confirmation_uri = "done_url", failure_uri = "failed_url", cancel_uri = "canceled_url" }
confirmed = true

[payments.commit_payout]
method     = "PATCH"
path       = "/v2/transfers/confirm"
fields     = { id = "uid" }
confirmed  = true

[payments.payout_events]
path       = "/v2/transfers/log"
parameters = "header"
fields     = { id = "X-Transfer" }
reply      = { events = "list", error = "reference", at = "at", kind = "about", url = "target", status = "answered" }

[payments.create_purchase]
path   = "/v2/sales"
fields = { code = "reference", description = "memo", amount = "value", items = "lines", item_description = "memo", item_amount = "value", item_quantity = "count", confirmation_uri = "done_url", cancel_uri = "canceled_url", callback_uri = "sold_url", failure_uri = "failed_url" }

[payments.get_purchase]
path = "/v2/sales/{id}/detail"

[payments.partner]
path  = "/v2/whoami"
reply = { id = "uid", email = "recipient", balance = "funds" }

[payments.account_status]
method     = "POST"
path       = "/v2/people"
parameters = "body"
fields     = { email = "recipient" }
reply      = { full_name = "name", status = "state" }
"""  # noqa: E501 - inline tables of TOML stand on one line
