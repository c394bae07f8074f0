"""Which attacks of the malicious writer are drawn: every column and every deed in every scene, others by share."""

from collections import Counter

from tests.campaigns.writer import chosen_for
from tests.writer.attacks import CUT, WHOLE, Attack, attacks
from tests.writer.columns import ATTACKED
from tests.writer.states import SCENES

OF_MANY = ("bulk", "bulk_cancel")
ONLY_MANY = ("bulk_item", "bulk_flight")


def _targets(chosen: list[Attack]) -> Counter[tuple[str, str]]:
    return Counter((one.table, one.column) for one in chosen)


def test_the_smallest_share_is_one_of_each_column_and_deed_in_each_scene() -> None:
    for scene in SCENES:
        wanted = {
            (table, column)
            for table, columns in ATTACKED.items()
            if scene.kind in OF_MANY or table not in ONLY_MANY
            for column in (*columns.split(), *WHOLE)
        } | {("audit", CUT)}
        assert _targets(chosen_for(scene, 0)) == dict.fromkeys(wanted, 1)


def test_scenes_draw_differently_and_each_the_same_again() -> None:
    drawn = {scene: tuple(chosen_for(scene, 0)) for scene in SCENES}
    assert len(set(drawn.values())) == len(SCENES)
    assert all(tuple(chosen_for(scene, 0)) == chosen for scene, chosen in drawn.items())


def test_a_share_draws_more_and_leaves_no_column_out() -> None:
    scene = SCENES[0]
    every = [one for one in attacks() if one.table not in ONLY_MANY]
    some = chosen_for(scene, 0.25)
    assert len(some) == round(len(every) / 4)
    assert len(set(some)) == len(some)
    assert _targets(some).keys() == _targets(every).keys()
    assert Counter(chosen_for(scene, 1)) == Counter(every)
