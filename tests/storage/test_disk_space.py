"""How much space is left on the disk of the database."""

import pytest

from storage.disk_space import Disk, DiskSpace

WHOLE = 100_000_000_000


@pytest.mark.parametrize(
    ("free", "whole", "found"),
    [
        (500_000_000, WHOLE, DiskSpace.ENOUGH),
        (499_999_999, WHOLE, DiskSpace.LOW),
        (19_999_999, WHOLE, DiskSpace.FULL),
        (100_000_000, 1_000_000_000, DiskSpace.ENOUGH),
        (99_999_999, 1_000_000_000, DiskSpace.LOW),
        (3_999_999, 1_000_000_000, DiskSpace.FULL),
        (0, 0, DiskSpace.FULL),
    ],
)
def test_disk_floor_is_500_mb_or_a_tenth(free: int, whole: int, found: DiskSpace) -> None:
    assert Disk(lambda: (free, whole)).space_left() is found


def test_unreadable_disk_counts_as_full() -> None:
    def broken() -> tuple[int, int]:
        raise OSError

    assert Disk(broken).space_left() is DiskSpace.FULL
