"""The program as an operator installs it: a wheel in a venv of its own. Nothing of the checkout can be imported."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import storage.migrations
from tests.support.later import write_steps

ROOT = Path(__file__).parents[2]


class Installed:
    """One venv with the wheel. The tests' environment lends it the dependencies; the program is the wheel's alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def build(cls, folder: Path) -> "Installed":
        wheels = folder / "wheels"
        _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels))
        (wheel,) = wheels.glob("*.whl")
        made = cls(folder / "venv")
        venv.create(made.folder, with_pip=False)
        # A folder, not its own .pth files: they would lead to the checkout.
        (made.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        pip = (sys.executable, "-m", "pip", "--python", str(made.folder))
        _run(*pip, "install", "-q", "--no-deps", "--no-index", str(wheel))
        return made

    @property
    def program(self) -> str:
        return str(self.folder / "bin" / "switchboard")

    @property
    def packages(self) -> Path:
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.folder), "platbase": str(self.folder)}))

    def later(self, folder: Path, head: str) -> "Installed":
        """A later version of it: the same program with more steps, in a venv of its own."""
        made = Installed(folder)
        venv.create(made.folder, with_pip=False)
        _run("cp", "-r", *map(str, self.packages.iterdir()), str(made.packages))
        migrations = made.packages / "storage" / "migrations"
        write_steps(migrations / "versions", head)
        text = (migrations / "__init__.py").read_text()
        today = f'HEAD = "{storage.migrations.HEAD}"'
        assert today in text
        (migrations / "__init__.py").write_text(text.replace(today, f'HEAD = "{head}"'))
        script = Path(self.program).read_text()
        Path(made.program).write_text(script.replace(str(self.folder), str(made.folder)))
        Path(made.program).chmod(0o755)
        return made


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
