import pytest

from bot.domain.files.dropped import FileInfo, Share, megabytes

MEGA = 1024 * 1024


@pytest.mark.parametrize(("size", "down", "up"), [
    (0, "0", "0"), (1, "0", "0.1"), (MEGA, "1", "1"), (MEGA + 1, "1", "1.1"), (int(2.5 * MEGA), "2.5", "2.5"),
])  # fmt: skip
def test_sizes_in_words(size: int, down: str, up: str) -> None:
    assert (megabytes(size), megabytes(size, up=True)) == (down, up)


def test_the_first_share_in_a_channel_counts() -> None:
    shares = (Share(channel="C1", ts="20.1"), Share(channel="C2", ts="1.0"), Share(channel="C1", ts="9.5"))
    info = FileInfo(id="F1", name="a", size=1, mimetype="", user="U1", url="", shares=shares)
    found = info.share_in("C1")
    assert found is not None
    assert found.ts == "9.5"
    assert info.share_in("C3") is None
