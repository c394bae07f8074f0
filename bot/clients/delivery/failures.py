"""Errors of the delivery service, each with a message of its own.

Error bodies are ``{message, messageKey, data?}`` (assumed). A suspended workspace, a key that is not accepted and
a key of the other environment all come as 401 or 403; only their words tell them apart.
"""

import re
from enum import StrEnum
from http import HTTPStatus
from typing import Final

from bot.clients.routes import Route
from bot.clients.service_errors import read_failure
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import NotExecuted, Reply, read_error
from bot.domain.reasons import Exchange, Failed, Reason

SERVICE: Final = "delivery"

_LOCKED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_SUSPENDED: Final = re.compile(r"suspend|inactiv|disabled|deactivat|deshabilitad", re.IGNORECASE)
_NOT_COVERED: Final = re.compile(
    r"\bcover|\bcobert|out of (range|reach)|fuera de (cobert|rango|alcance|(la )?zona)", re.IGNORECASE
)
_ENVIRONMENT: Final = re.compile(r"environment|sandbox|production|ambiente|entorno", re.IGNORECASE)


class Key(StrEnum):
    """Which of the two kinds of key an operation takes (documented)."""

    MASTER = "master"
    STORE = "store"


class NotCovered(ServiceNever):
    """A quote was refused because the service does not deliver there; only its words tell."""


def locked(reply: Reply, *, kind: Key) -> OperatorError | None:
    """Reason for a rejected login, or None."""
    if not _is_locked(reply):
        return None
    problem, mend = _closed(_everything(reply), kind)
    return OperatorError(problem, mend=mend, words=read_error(reply).words, service=SERVICE)


def _is_locked(reply: Reply) -> bool:
    return reply.status in _LOCKED and not reply.is_html


def _closed(said: str, kind: Key) -> tuple[Reason, str]:
    """The problem, and how the operator mends it."""
    if _SUSPENDED.search(said):
        return (
            Reason(Exchange.SUSPENDED),
            "ask it why in the chat of its dashboard; nothing is repeated until then",
        )
    if _ENVIRONMENT.search(said):
        return (
            Reason(Exchange.OTHER_ENVIRONMENT),
            "DELIVERY_BASE_URL and the keys must both be of the sandbox, or both of production",
        )
    if kind is Key.MASTER:
        return (
            Reason(Exchange.MASTER_KEY),
            "copy it again from the settings of the delivery dashboard into DELIVERY_MASTER_KEY",
        )
    return (
        Reason(Exchange.STORE_KEY),
        "copy it again from the stores view of the delivery dashboard into DELIVERY_STORE_KEYS, "
        "or list the stores again",
    )


def read_trouble(
    reply: Reply, *, kind: Key, route: Route, quote: bool = False
) -> OperatorError | ServiceNow | ServiceNever:
    """What to raise for an answer to a request that only reads."""
    closed = locked(reply, kind=kind)
    if closed is not None:
        return closed
    trouble = read_failure(
        reply,
        service=SERVICE,
        address="DELIVERY_BASE_URL",
        credentials="DELIVERY_MASTER_KEY",
        names=route.ours,
    )
    if not isinstance(trouble, ServiceNever):
        assert isinstance(trouble, OperatorError | ServiceNow)
        return trouble
    if quote and _NOT_COVERED.search(trouble.words):
        return NotCovered(SERVICE, trouble.reason, status=trouble.status, words=trouble.words)
    return trouble


def told(outcome: NotExecuted, reply: Reply, *, kind: Key) -> NotExecuted:
    """The outcome of a refused change, with the reason in this service's terms."""
    if not _is_locked(reply):
        return outcome
    problem, mend = _closed(_everything(reply), kind)
    reason = Reason(Failed.MENDED, why=problem.saying(read_error(reply).words), mend=mend)
    return NotExecuted(again=False, reason=reason, status=outcome.status, detail=outcome.detail)


def _everything(reply: Reply) -> str:
    if isinstance(reply.json, dict):
        inner = reply.json.get("error")
        parts = [reply.json, inner if isinstance(inner, dict) else {}]
        return " ".join(
            str(part.get(name, "")) for part in parts for name in ("message", "messageKey", "error", "code")
        )
    return reply.json if isinstance(reply.json, str) else reply.text
