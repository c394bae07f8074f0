"""Whether everything is finished, judged by the cards."""

import re

from bot.playground.workspace import Message
from tests.process.scene import Scene
from tests.support.rig import APPROVALS, FINANCE


def is_over(card: Message) -> bool:
    return re.match(r"(Paid|All \d+ paid): ", card.text) is not None and not card.buttons


def all_is_over(scene: Scene, *, at_least: int) -> bool:
    """Whether every card is over, there are at least so many, and both channels have the same number."""
    asked, decided = (scene.cards(channel) for channel in (FINANCE, APPROVALS))
    return len(asked) == len(decided) >= at_least and all(map(is_over, [*asked, *decided]))
