"""The image, built and started for real: several minutes, and packages of Debian and PyPI; run by ``make campaign``."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.image import Builder, Container, Image
from tests.deploy.machine import needs
from tests.process.scene import Scene
from tests.support.rig import APPROVALS

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(os.getuid() != 0, reason="buildah and runc work here without an engine, which takes root"),
    *(needs(program, package=program) for program in ("buildah", "debootstrap", "runc")),
]

OF_THE_IMAGE = {"PATH", "PYTHONPATH", "DATABASE_URL", "POLICY_FILE"}

_ALL_OF_IT = """
import os
for folder in ("/", "/etc", "/opt/switchboard", "/tmp", "/var/tmp", "/home", "/dev/shm", "/run"):
    try:
        open(f"{folder}/x", "w").close()
    except OSError:
        continue
    print("written:", folder)
print(os.getuid(), os.getgid())
"""


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    folder = Path(tempfile.mkdtemp(prefix="switchboard-image-"))
    try:
        builder = Builder(folder)
        builder.base()
        yield builder.build()
    finally:
        shutil.rmtree(folder)


async def test_container_runs_read_only_except_its_volume(image: Image, tmp_path: Path) -> None:
    volume, etc, bundle = (tmp_path / name for name in ("volume", "etc", "bundle"))
    for folder in (volume, etc, bundle):
        folder.mkdir()
    os.chown(volume, 10001, 10001)
    scene = await Scene.open(tmp_path, start=False)
    shutil.copy(tmp_path / "policy.toml", etc)
    differs = {name: value for name, value in scene.bot.environment.items() if name not in OF_THE_IMAGE}
    image.bundle(bundle, environment={**differs, "HOST": "127.0.0.1"}, volume=volume, etc=etc)
    bot = scene.bot = Container(bundle, environment=scene.bot.environment, folder=tmp_path)
    try:
        await scene.start()
        assert (await scene.pay()).ok
        assert bot.inside(*image.told["Healthcheck"]["Test"][1:]) == ""
        assert bot.inside("python", "-c", _ALL_OF_IT) == "10001 10001"
        assert await bot.stop() == 0
        await scene.start()
        await scene.press("approve")
        await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Paid: "))
        assert await bot.stop() == 0
    finally:
        await bot.discard()
        await scene.close()
    assert {path.name for path in volume.iterdir()} >= {"switchboard.db", "switchboard.anchors"}
    assert {path.stat().st_uid for path in volume.iterdir()} == {10001}
