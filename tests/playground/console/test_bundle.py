"""The page as browsers get it: few requests, compressed, kept; anew when a source changed."""

import re
from pathlib import Path

import pytest

from bot.playground.console.bundle import PAGE, Bundle, joined
from tests.playground.console.scene import Scene

NAMED = re.compile(r'(?:href|src)="(/console/page/[^"]+)"')


async def test_page_assets_are_cached_and_the_page_is_not(scene: Scene) -> None:
    async with scene.http.get(f"{scene.url}/", headers={"Accept-Encoding": "identity"}) as answer:
        assert (answer.headers["Cache-Control"], "Content-Encoding" in answer.headers) == ("no-cache", False)
        known, document = answer.headers["ETag"], await answer.text()
    async with scene.http.get(f"{scene.url}/", headers={"If-None-Match": known}) as again:
        assert (again.status, await again.read()) == (304, b"")
    async with scene.http.get(f"{scene.url}/", headers={"If-None-Match": '"older"'}) as changed:
        assert await changed.text() == document
    icon, sheet, script = NAMED.findall(document)
    assert (icon, sheet[-4:], script[-3:]) == ("/console/page/icon.svg", ".css", ".js")
    for path, kind in ((sheet, "text/css"), (script, "text/javascript")):
        async with scene.http.get(scene.url + path) as kept:
            assert (kept.status, kept.content_type) == (200, kind)
            assert kept.headers["Cache-Control"] == "max-age=31536000, immutable"
            assert kept.headers["Content-Encoding"] == "gzip"


async def test_style_sheet_includes_all_sources(scene: Scene) -> None:
    [sheet] = [asset for name, asset in Bundle().assets().items() if name.endswith(".css")]
    text = sheet.body.decode()
    for source in (PAGE / "css").iterdir():
        assert source.read_text("utf-8").partition("\n")[0] in text
    [font] = re.findall(r'url\("([^"]+)"\)', text)
    async with scene.http.get(scene.url + font) as answer:
        assert (answer.status, answer.content_type) == (200, "font/woff2")
        assert await answer.read() == (PAGE / "fonts" / "emoji.woff2").read_bytes()


def laid(folder: Path, **modules: str) -> Path:
    for name, source in modules.items():
        (folder / f"{name}.js").write_text(source)
    return folder


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"a": 'import b from "./b.js";\n'}, "a.js: import b"),
        ({"a": "export default 1;\n"}, "a.js: export default 1;"),
        ({"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\n'}, "a → b → a"),
    ],
)
def test_other_forms_and_circles_are_refused(tmp_path: Path, modules: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        joined(laid(tmp_path, **modules), "a")


def test_edited_page_file_gets_a_new_address(tmp_path: Path) -> None:
    for source in PAGE.rglob("*"):
        if source.is_file():
            copy = tmp_path / source.relative_to(PAGE)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(source.read_bytes())
    bundle = Bundle(tmp_path)
    before = dict(bundle.assets())
    assert bundle.assets() == before
    sheet = tmp_path / "css" / "panel.css"
    sheet.write_text(f"{sheet.read_text()}\n.new {{ color: red; }}\n")
    after = bundle.assets()
    [changed] = [name for name in after if name not in before]
    assert changed.endswith(".css")
    assert changed in after["index.html"].body.decode()
