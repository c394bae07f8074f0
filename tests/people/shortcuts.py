"""Shortcuts that are planted in the product, one at a time, for the campaign to find: one entry each.

``plant`` is a context in which the shortcut is in the product.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from bot.domain.home import Laid
from bot.domain.payments import lookups
from bot.domain.payments.instruction import Kind, Payload
from bot.domain.policy import Repeat
from bot.workflows.admin import home
from bot.workflows.context import Unit
from bot.workflows.payments import bulk, payout, sought, take_in
from bot.workflows.requests import send
from bot.workflows.requests.repeats import repeats_of
from tests.support.replaced import replaced


@dataclass(frozen=True, slots=True)
class Shortcut:
    """``breaks``: the law's name; ``seeds``: of histories that find it."""

    breaks: str
    seeds: tuple[int, ...]
    plant: Callable[[], AbstractContextManager[None]]


@contextmanager
def _planted(*places: tuple[Any, str, object]) -> Iterator[None]:
    with ExitStack() as stack:
        for place in places:
            stack.enter_context(replaced(*place))
        yield


_look = home.look


def _of_one_kind(uow: Unit, kind: Kind, payload: Payload, *rest: Any, **more: Any) -> tuple[Repeat, ...]:
    found = repeats_of(uow, kind, payload, *rest, **more)
    return tuple(one for one in found if one.reference.startswith("L-") is payload.has_items)


async def _nothing_read(*_: object) -> tuple[()]:
    return ()


def _nothing(*_: object, **__: object) -> None:
    """Whatever is asked for, there is none."""


def _no_marks(*_: object, **__: object) -> dict[int, object]:
    return {}


async def _closed_up(ctx: Any, user: str, _: Laid) -> Any:
    return await _look(ctx, user, Laid())


SHORTCUTS: Final[Mapping[str, Shortcut]] = {
    "no comparison across kinds": Shortcut("repeat", (18, 24), partial(_planted, (send, "repeats_of", _of_one_kind))),
    "no second reading at the claim": Shortcut(
        "turned",
        (13, 19),
        partial(
            _planted,
            *((module, "read_earlier", _nothing_read) for module in (payout, bulk)),
            *((module, "hindrance", _nothing) for module in (payout, bulk)),
        ),
    ),
    "a list that closes up": Shortcut("press", (8, 20), partial(_planted, (home, "look", _closed_up))),
    "an import of a marked record": Shortcut(
        "import",
        (15, 21),
        partial(
            _planted,
            *((module, "made_here", _nothing) for module in (take_in, payout)),
            (sought, "own_row", _nothing),
        ),
    ),
    "a status column ignored": Shortcut("done", (4, 10), partial(_planted, (lookups, "done_rows", _no_marks))),
}
