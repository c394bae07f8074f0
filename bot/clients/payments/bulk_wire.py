"""The JSON of bulk payments, read into our records. A page with one unreadable record is unreadable."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from bot.clients import reading
from bot.clients.reading import Unfit
from bot.clients.routes import Route
from bot.domain.payments.bulk_records import BulkJob, ItemPage, JobPage, ReportedItem

T = TypeVar("T")


def read_new_job(document: object, route: Route) -> BulkJob:
    """The answer to a new bulk payment: it must have an id."""
    return _job(reading.as_object(document), route.reply)


def read_same_job(document: object, route: Route, *, job_id: str) -> BulkJob:
    """The bulk payment with exactly this id; it must say a status."""
    job = _job(reading.as_object(document), route.reply)
    if job.id != job_id:
        raise Unfit("the record of another bulk payment", document, route.reply["id"])
    if not job.status:
        raise Unfit("no status", document, route.reply["status"])
    return job


def read_jobs(document: object, route: Route) -> JobPage:
    """One page of the history."""
    body, names = reading.as_object(document), route.reply
    jobs = _list(body, names["bulk_payments"], lambda one: _job(one, names, count="payments_count"))
    page, pages, count = _figures(body, names)
    return JobPage(jobs=jobs, page=page, pages=pages, count=count)


def read_items(document: object, route: Route) -> ItemPage:
    """One page of items or of failures. A list without figures is all there is: who counts misses what is not in it."""
    names = route.reply
    body = {names["payments"][0]: document} if isinstance(document, list) else reading.as_object(document)
    items = _list(body, names["payments"], lambda one: _item(one, names))
    is_paged = any(reading.value(body, names[told]) is not None for told in ("page", "pages", "count"))
    page, pages, count = _figures(body, names) if is_paged else (1, 1, len(items))
    return ItemPage(items=items, page=page, pages=pages, count=count)


def read_canceled(document: object, route: Route) -> frozenset[str]:
    """The hashes that the service says it canceled; a document without such a list says nothing."""
    found = reading.value(reading.as_object(document), route.reply["successful"])
    listed = found if isinstance(found, list) else None
    if listed is None:
        if reading.as_object(document).keys() & set(route.reply["successful"]):
            return frozenset()  # the list is there and empty, which a service may write as null or ""
        raise Unfit("no list of canceled payments", document, route.reply["successful"])
    return frozenset(filter(None, (reading.as_text(one) for one in listed)))


def _job(body: Mapping[str, object], names: Mapping[str, tuple[str, ...]], *, count: str = "count") -> BulkJob:
    identifier = reading.text(body, names["id"])
    if not identifier:
        raise Unfit("no bulk payment: id is missing", body, names["id"])
    inner = reading.value(body, names["payments"])
    figures = inner if isinstance(inner, dict) else body
    return BulkJob(
        id=identifier,
        status=reading.text(body, names["status"]),
        created_at=reading.moment(body, names["created_at"]) if "created_at" in names else None,
        **{
            ours: _figure(figures, names[told])
            for ours, told in (
                ("count", count),
                ("pending", "pending"),
                ("completed", "completed"),
                ("failed", "failed"),
            )
            if told in names
        },
    )


def _figure(body: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    """A count; an empty text is a zero here, absence is not."""
    if any(body.get(name) == "" for name in names):
        return 0
    return reading.count_or_none(body, names)


def _figures(body: Mapping[str, object], names: Mapping[str, tuple[str, ...]]) -> tuple[int, int, int | None]:
    """Page, pages, records in all."""
    return reading.count(body, names["page"]), _figure(body, names["pages"]) or 0, _figure(body, names["count"])


def _list(body: Mapping[str, object], names: tuple[str, ...], read: Callable[[dict[str, object]], T]) -> tuple[T, ...]:
    found = reading.value(body, names)
    if found is None and any(name in body for name in names):
        return ()
    if not isinstance(found, list):
        raise Unfit(f"no list of {names[0]}", body, names)
    return tuple(read(reading.as_object(one)) for one in found)


def _item(body: Mapping[str, object], names: Mapping[str, tuple[str, ...]]) -> ReportedItem:
    def text(ours: str) -> str:
        return reading.text(body, names[ours]) if ours in names else ""

    return ReportedItem(
        email=text("email"),
        cents=reading.cents(body, names["amount"]),
        note=text("note"),
        internal_note=text("internal_note"),
        status=text("status"),
        hash=text("hash"),
        error=text("error"),
        user_id=text("user_id"),
    )
