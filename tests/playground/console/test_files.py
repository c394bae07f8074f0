"""Shared files on the page: raster pictures are shown, everything else is only ever downloaded."""

import pytest

from tests.playground.console.scene import GENERAL, NORA, Scene

PNG = b"\x89PNG\r\n\x1a\n and more"


async def dropped(scene: Scene, name: str, content: bytes) -> dict[str, object]:
    await scene.workspace.drop(NORA, GENERAL, name, content)
    shown = (await scene.state())["messages"][-1]["files"][0]
    assert isinstance(shown, dict)
    return shown


@pytest.mark.parametrize(
    ("content", "kind"), [(PNG, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF89a", "image/gif")]
)
async def test_a_picture_is_shown_whatever_its_name(scene: Scene, content: bytes, kind: str) -> None:
    shown = await dropped(scene, "code.bin", content)
    assert shown["picture"]
    async with scene.http.get(f"{scene.url}{shown['url']}") as answer:
        assert (answer.content_type, await answer.read()) == (kind, content)
        assert answer.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.html"])
async def test_what_could_hold_a_script_is_no_picture(scene: Scene, name: str) -> None:
    shown = await dropped(scene, name, b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    assert shown["picture"] is None
    async with scene.http.get(f"{scene.url}{shown['url']}") as answer:
        assert answer.content_type == "application/octet-stream"
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
