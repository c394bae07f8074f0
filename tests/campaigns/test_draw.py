"""Which attacks of the malicious writer are drawn: every column and every deed in every scene, others by share."""

from collections import Counter

from tests.campaigns.writer import chosen_for
from tests.writer.attacks import Attack, attacks
from tests.writer.states import SCENES

ONLY_MANY = ("bulk_item", "bulk_flight")


def targets(chosen: list[Attack]) -> Counter[tuple[str, str]]:
    return Counter((one.table, one.column) for one in chosen)


def test_smallest_share_draws_one_attack_of_each_column_and_deed() -> None:
    for scene in SCENES:
        is_of_many = scene.kind in ("bulk", "bulk_cancel")
        wanted = {(one.table, one.column) for one in attacks() if is_of_many or one.table not in ONLY_MANY}
        assert targets(chosen_for(scene, 0)) == dict.fromkeys(wanted, 1)
        assert chosen_for(scene, 0) == chosen_for(scene, 0)
    assert len({tuple(chosen_for(scene, 0)) for scene in SCENES}) == len(SCENES)


def test_share_draws_more_and_leaves_no_column_out() -> None:
    scene = SCENES[0]
    every = [one for one in attacks() if one.table not in ONLY_MANY]
    some = chosen_for(scene, 0.25)
    assert len(some) == len(set(some)) == round(len(every) / 4)
    assert targets(some).keys() == targets(every).keys()
    assert Counter(chosen_for(scene, 1)) == Counter(every)
