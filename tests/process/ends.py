"""Whether everything is over, as an onlooker sees it."""

from bot.playground.workspace import Message
from tests.process.scene import Scene
from tests.support.rig import APPROVALS, FINANCE


def is_over(card: Message) -> bool:
    """Whether a card shows that it is completed and asks for nothing more."""
    return "*completed*" in card.text.casefold() and not card.buttons


def all_is_over(scene: Scene, *, at_least: int) -> bool:
    """Whether every card in sight is over, there are enough of them, and as many here as there."""
    asked, decided = (scene.cards(channel) for channel in (FINANCE, APPROVALS))
    return len(asked) == len(decided) >= at_least and all(map(is_over, [*asked, *decided]))
