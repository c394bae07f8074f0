"""Scan of the whole list for one code, and whether the scan proves absence.

The list's parameters may be dropped on the way (they are documented as the body of a GET), its order is not
documented, and it may change while it is read. Pure: pages in, a ``Search`` out.
"""

from collections.abc import Callable
from typing import Final

from bot.domain.payments.evidence import same_code
from bot.domain.payments.operation import Operation, OperationPage, Search
from bot.domain.reasons import Exchange, Reason

_MAX_PAGES: Final = 2000


def page_mismatch(found: OperationPage, *, page: int, per_page: int) -> Reason | None:
    """Why a page is not the one that was asked for; None when it is."""
    if found.page != page:
        return Reason(Exchange.OTHER_PAGE, asked=page, came=found.page)
    if found.per_page != per_page:
        return Reason(Exchange.OTHER_SIZE, asked=per_page, came=found.per_page)
    return None


def is_beyond_the_end(found: OperationPage, *, page: int, per_page: int) -> bool:
    """Whether the last page came because the one asked for does not exist, by the list's own figures."""
    return found.page == found.last_page < page and found.per_page == per_page


def type_mismatch(found: OperationPage, operation_type: str | None) -> Reason | None:
    """Why a page is not of the type asked for; None when it is. Figures at their defaults cannot tell."""
    others = {one.operation_type for one in found.operations} - {"", operation_type}
    if not operation_type or not others:
        return None
    return Reason(Exchange.OTHER_TYPE_LISTED, asked=operation_type, came=min(others))


class OperationScan:
    """One pass over the list. Feed ``page`` after ``page`` to ``take`` until ``is_over``.

    Args:
        code: what is looked for, in whatever case and spacing.
        per_page: what is asked for.
        see: is given every other record, once.
    """

    def __init__(self, *, code: str, per_page: int, see: Callable[[Operation], None] = lambda _: None) -> None:
        self.per_page = per_page
        self.page = 1
        self.result = Search()
        self.is_over = False
        self._code = code
        self._see = see
        self._hits: list[Operation] = []
        self._seen: set[str] = set()
        self._total: int | None = None
        self._first = 0

    def take(self, found: OperationPage) -> None:
        """Look at the next page; ends the scan when it was the last or cannot be trusted."""
        self._look_at([one for one in found.operations if one.id not in self._seen])
        distrust = page_mismatch(found, page=self.page, per_page=self.per_page) or self._distrust(found)
        if distrust:
            self.broken_off(distrust)
            return
        self._total = found.total
        self._first = found.first or 0
        self._seen |= {one.id for one in found.operations}
        if self.page < found.last_page:
            self.page += 1
            return
        if len(self._seen) != found.total:
            self.broken_off(Reason(Exchange.SCAN_COUNT, told=found.total, shown=len(self._seen)))
            return
        self.is_over = True
        self.result = Search(hits=tuple(self._hits), complete=True, total=found.total)

    def broken_off(self, reason: Reason) -> Search:
        """End the scan as incomplete; what was found so far counts."""
        self.is_over = True
        self.result = Search(hits=tuple(self._hits), complete=False, total=self._total, reason=reason)
        return self.result

    def _look_at(self, fresh: list[Operation]) -> None:
        for one in fresh:
            if same_code(one.code, self._code):
                self._hits.append(one)
            else:
                self._see(one)

    def _distrust(self, found: OperationPage) -> Reason | None:
        ids = {one.id for one in found.operations}
        rules = (
            (self._total is not None and found.total != self._total, Reason(Exchange.SCAN_CHANGED)),
            (bool(ids & self._seen) or len(ids) != len(found.operations), Reason(Exchange.SCAN_DOUBLE)),
            (bool(ids) and (found.first is None or found.first <= self._first), Reason(Exchange.SCAN_STANDS)),
            (not ids and found.total > 0, Reason(Exchange.SCAN_GAP)),
            (found.last_page > _MAX_PAGES, Reason(Exchange.SCAN_LONG, most=_MAX_PAGES)),
        )
        return next((reason for is_broken, reason in rules if is_broken), None)
