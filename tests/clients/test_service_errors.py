"""Every shape in which the service may complain, as one sentence a person can act on."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.calls import read_failure
from bot.clients.transport import read_reply
from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, ServiceTrouble, SwitchboardError
from bot.domain.outcome import Done, Failure, Reply, Unknown, classify
from bot.domain.reasons import Exchange, Reason
from bot.presentation.reasons import sentence

NAMES = {"value": "amount", "email": "email", "confirmation_uri": "confirmation_uri", "items": "items"}
PAGE = "<!doctype html><html><body>Request <b>blocked</b> by gateway</body></html>"
TOKEN = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"

PLAIN = {"status": 0, "message": "Internal rule 7 says no"}
CODED: dict[str, Any] = {"data": {}, "code": "E7", "message": "Internal rule 7 says no", "displayToUser": False}
SHOWN = CODED | {"message": "Your limit is used up", "displayToUser": True}
RULE = "“Internal rule 7 says no”"
FIELDS = {"message": "Internal rule 7", "messages": {"value": ["says no"], "email": "is odd"}}


def reply(status: int, body: object, **headers: str) -> Reply:
    is_text = isinstance(body, str)
    kind = "text/html" if is_text and str(body).startswith("<") else "application/json"
    raw = str(body) if is_text else json.dumps(body)
    return read_reply(status=status, headers={"Content-Type": kind} | headers, body=raw.encode())


def failure(given: Reply) -> SwitchboardError:
    return read_failure(
        given,
        service="payments",
        address="PAYMENTS_BASE_URL",
        credentials="PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET",
        names=NAMES,
    )


def told(given: Reply) -> str:
    error = failure(given)
    assert isinstance(error, ServiceNow | ServiceNever | OperatorError)
    return sentence(error)


def outcome(given: Reply, *, earlier_unknown: bool = False) -> str:
    found = classify(given, read=_no_record, earlier_unknown=earlier_unknown, names=NAMES)
    assert not isinstance(found, Done)
    return sentence(found)


def _no_record(document: object) -> object:
    raise ValueError("no record")


CREDENTIALS = (
    "The operator of Switchboard has to mend this: payments: {}; check PAYMENTS_PARTNER_ID and "
    "PAYMENTS_PARTNER_SECRET: each environment has its own."
)
PROXY = (
    "The operator of Switchboard has to mend this: payments: a page came instead of an answer ({}), probably from a "
    "proxy; check PAYMENTS_BASE_URL and the route that SERVICES_FILE gives."
)
REFUSED = "The payments service refused the request ({}); check what you gave."

READS: list[tuple[int, object, str]] = [
    (400, PLAIN, "The payments service says: Internal rule 7 says no."),
    (400, {}, REFUSED.format(400)),
    (409, CODED, REFUSED.format(409)),
    (404, CODED, "The payments service does not know what was asked for (404); check what you gave."),
    (404, SHOWN, "The payments service says: Your limit is used up."),
    (422, SHOWN | {"message": "Try less!"}, "The payments service says: Try less!"),
    (422, SHOWN | {"message": ""}, REFUSED.format(422)),
    (422, SHOWN | {"displayToUser": "true"}, "The payments service says: Your limit is used up."),
    (422, SHOWN | {"displayToUser": "false"}, REFUSED.format(422)),
    (422, FIELDS, "The payments service says: Internal rule 7; amount: says no; email: is odd."),
    (422, FIELDS | {"displayToUser": False},
     "The payments service does not accept the amount and the email (422); check what you gave."),
    (422, FIELDS | {"displayToUser": True},
     "The payments service says: Internal rule 7; amount: says no; email: is odd."),
    (422, {"messages": {"items.0": ["x"], "items[1].amount": ["y"]}},
     "The payments service says: items: x; items: y."),
    (422, {"messages": {"confirmation_uri": ["x"], "unheard": ["y"]}},
     "The payments service says: confirmation uri: x; unheard: y."),
    (422, {"message": "no", "messages": {}}, "The payments service says: no."),
    (400, {"message": "Just this"}, "The payments service says: Just this."),
    (400, {"error": {"code": "E", "message": "Inside", "displayToUser": True}}, "The payments service says: Inside."),
    (400, {"error": {"message": "Inside", "messages": {"email": ["odd"]}}},
     "The payments service says: Inside; email: odd."),
    (400, {"error": "as text"}, "The payments service says: as text."),
    (400, "plain text", "The payments service says: plain text."),
    (400, {"message": PAGE}, REFUSED.format(400)),
    (400, f"Bad gateway: {PAGE}", REFUSED.format(400)),
    (400, ["a", "list"], REFUSED.format(400)),
    (400, PAGE, PROXY.format(400)),
    (404, PAGE, PROXY.format(404)),
    (401, PLAIN, CREDENTIALS.format(f"the service did not accept our credentials (401), saying {RULE}")),
    (403, PLAIN, CREDENTIALS.format(f"the service does not allow us this (403), saying {RULE}")),
    (403, CODED, CREDENTIALS.format("the service does not allow us this (403)")),
    (403, PAGE, PROXY.format(403)),
    (302, "", "The operator of Switchboard has to mend this: payments answered with a redirect (302); "
              "check PAYMENTS_BASE_URL."),
    (408, {}, "The payments service answered 408; try again in a minute."),
    (500, PLAIN, f"The payments service answered 500, saying {RULE}; try again in a minute."),
    (500, CODED, "The payments service answered 500; try again in a minute."),
    (503, {"message": "Back at <noon>"},
     "The payments service answered 503, saying “Back at <noon>”; try again in a minute."),
    (502, PAGE, "The payments service answered 502; try again in a minute."),
    (200, PAGE, "The payments service's answer could not be read; try again in a minute."),
    (204, "", "The payments service's answer could not be read; try again in a minute."),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "expected"), READS)
def test_a_failed_read_in_one_sentence(status: int, body: object, expected: str) -> None:
    assert told(reply(status, body)) == expected


@pytest.mark.parametrize(("headers", "expected"), [
    ({}, "in a minute"), ({"Retry-After": "0"}, "in a minute"), ({"Retry-After": "9"}, "in 9 s"),
    ({"Retry-After": "1.2"}, "in 2 s"), ({"Retry-After": "600"}, "in 10 minutes"),
    ({"Retry-After": "Fri, 20 Nov 2026 10:00:00 GMT"}, "in a minute"),
])  # fmt: skip
def test_when_to_try_again_is_said(headers: dict[str, str], expected: str) -> None:
    assert told(reply(429, {}, **headers)) == f"The payments service answered 429; try again {expected}."


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (Failure.TIMEOUT, "The payments service gave no answer (timed out); try again in a minute."),
        (Failure.NOT_CONNECTED, "The payments service gave no answer (not connected); try again in a minute."),
        (Failure.DROPPED, "The payments service gave no answer (connection dropped); try again in a minute."),
        (Failure.OVERSIZE, "The payments service gave no answer (answer too large); try again in a minute."),
    ],
)
def test_silence_in_one_sentence(why: Failure, expected: str) -> None:
    assert told(Reply(failure=why)) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [(503, "The payments service answered 503."), (400, "The payments service refused the request (400).")],
)
def test_what_switchboard_asks_again_itself_gives_no_advice(status: int, expected: str) -> None:
    error = failure(reply(status, {}))
    assert isinstance(error, ServiceNow | ServiceNever)
    assert sentence(error, advice=False) == expected


UNKNOWN = "whether it was executed is not known yet, so it is looked up and not repeated."

WRITES: list[tuple[Reply, str]] = [
    (reply(422, SHOWN), "Nothing was executed, the payments service says: Your limit is used up."),
    (reply(422, FIELDS),
     "Nothing was executed, the payments service says: Internal rule 7; amount: says no; email: is odd."),
    (reply(422, CODED), "The payments service refused the request (422); nothing was executed."),
    (reply(404, "text"), "Nothing was executed, the payments service says: text."),
    (reply(404, {}), "The payments service does not know what was asked for (404); nothing was executed."),
    (reply(401, CODED), "The payments service did not accept our credentials (401); nothing was executed."),
    (reply(403, PAGE), "The payments service does not allow us this (403); nothing was executed."),
    (reply(429, {}, **{"Retry-After": "3"}),
     "The payments service got too many requests; nothing was executed, try again in 3 s."),
    (Reply(failure=Failure.NOT_SENT),
     "The request to the payments service did not leave (not sent); nothing was executed, try again in a minute."),
    (Reply(failure=Failure.TIMEOUT), f"The payments service gave no answer (timed out); {UNKNOWN}"),
    (reply(500, PLAIN), f"The payments service gave answer 500, saying {RULE}; {UNKNOWN}"),
    (reply(500, PAGE), f"The payments service gave answer 500; {UNKNOWN}"),
    (reply(409, SHOWN), f"The payments service gave answer 409, saying “Your limit is used up”; {UNKNOWN}"),
    (reply(200, PAGE), f"The payments service gave answer 200 with a body that is no JSON; {UNKNOWN}"),
    (reply(200, CODED), f"The payments service gave answer 200 with an unexpected body; {UNKNOWN}"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), WRITES)
def test_a_failed_write_in_one_sentence(given: Reply, expected: str) -> None:
    assert outcome(given) == expected


def test_a_refusal_after_an_unknown_attempt_proves_nothing() -> None:
    said = outcome(reply(422, SHOWN), earlier_unknown=True)
    told_all = (
        "The payments service gave answer 422 after an attempt of unknown outcome, saying “Your limit is used up”"
    )
    assert said == f"{told_all}; {UNKNOWN}"


def test_errors_of_other_places_are_sentences_too() -> None:
    assert sentence(ServiceNever("payments", Reason(Exchange.LIST_ENDS, page=3))) == (
        "The payments service's list ends with page 3."
    )
    assert sentence(Unknown(reason=Reason(Exchange.NO_ANSWER, failure="timed out")), service="delivery") == (
        f"The delivery service gave no answer (timed out); {UNKNOWN}"
    )
    assert sentence(OperatorError("PUBLIC_URL is missing")) == (
        "The operator of Switchboard has to mend this: PUBLIC_URL is missing."
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(f"https://bot.example/callbacks/payments/{TOKEN}"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["message", "messages", "error", "code", "displayToUser", "value"]) | st.text(),
            inner,
            max_size=4,
        )
    ),
)


@given(status=st.integers(200, 599), body=JSON)
def test_whatever_comes_is_one_short_line_without_a_token(status: int, body: object) -> None:
    given = Reply(status=status, json=body)
    for text in (told(given), outcome(given)):
        assert len(text) < 700
        assert text.splitlines() == [text]
        assert text[-1] in ".!?"
        assert TOKEN not in text


@pytest.mark.parametrize("kind", [ServiceNow, ServiceNever, OutcomeUnknown])
def test_trouble_in_a_log_names_the_service_and_holds_none_of_its_words(kind: type[ServiceTrouble]) -> None:
    trouble = kind("delivery", Reason(Exchange.READ_ANSWERED, status=409), words="canary")
    assert str(trouble) == "delivery: read_answered (status=409)"
