"""The image of the Dockerfile, built and started without an engine: buildah, and runc on the machine's network.

Its base is a Debian made here, because the one it names comes from a registry that a test does not ask.
"""

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.deploy.containerfile import CONTAINERFILE, ROOT, VOLUME
from tests.process.bot_process import BotProcess

DEBIAN = "trixie"
"""Its Python is 3.13."""
_BASE, _IMAGE, _CONTAINER = "localhost/base:1", "localhost/switchboard:1", "switchboard"
_NOT_HERE = {"/sys", "/sys/fs/cgroup", "/dev/mqueue", "/dev/shm"}
"""Mounts of the usual bundle that are left out: the image needs none of them."""


class Builder:
    """Builds in a folder of its own, on a disk with three gigabytes free."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        where = ("--root", f"{folder}/images", "--runroot", f"{folder}/run")
        self._buildah = ("buildah", "--storage-driver", "vfs", *where)

    def base(self) -> None:
        """Make a Debian with Python, which trusts whom this machine trusts."""
        root = self._folder / "debian"
        (mirror, *_) = _ran("apt-get", "indextargets", "--format", "$(REPO_URI)").split()
        packages = "--include=python3,python3-venv,ca-certificates"
        _ran("debootstrap", "--variant=minbase", packages, DEBIAN, str(root), mirror)
        for path in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt", "etc/pip.conf"):
            if (Path("/") / path).exists():
                shutil.copy(Path("/") / path, root / path)
        empty = self._run("from", "scratch")
        self._run("add", "--quiet", empty, str(root), "/")
        self._run("commit", "--quiet", "--rm", empty, _BASE)
        shutil.rmtree(root)

    def build(self) -> "Image":
        how = ("--format", "docker", "--isolation", "chroot", "--network", "host", "--build-arg", f"BASE={_BASE}")
        self._run("build", *how, "--file", str(CONTAINERFILE), "--tag", _IMAGE, str(ROOT))
        told = json.loads(self._run("inspect", "--type", "image", _IMAGE))["Docker"]["config"]
        return Image(root=Path(self._run("mount", self._run("from", _IMAGE))), told=told)

    def _run(self, *arguments: str) -> str:
        return _ran(*self._buildah, *arguments)


@dataclass(frozen=True)
class Image:
    """A built image: its files, and its configuration as an engine reads it."""

    root: Path
    told: Mapping[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        return dict(one.split("=", 1) for one in self.told["Env"])

    def bundle(self, folder: Path, *, environment: Mapping[str, str], volume: Path, etc: Path) -> Path:
        """Lay a bundle for runc: read-only root, no capabilities, one volume, the configuration mounted."""
        user, _, group = str(self.told["User"]).partition(":")
        _ran("runc", "spec", "--bundle", str(folder))
        spec = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        spec["process"] |= {
            "terminal": False,
            "user": {"uid": int(user), "gid": int(group)},
            "args": self.told["Cmd"],
            "env": [f"{name}={value}" for name, value in {**self.environment, **environment}.items()],
            "cwd": self.told["WorkingDir"],
            "capabilities": {},
            "noNewPrivileges": True,
        }
        spec["root"] = {"path": str(self.root), "readonly": True}
        spec["mounts"] = [one for one in spec["mounts"] if one["destination"] not in _NOT_HERE] + [
            _mounted(volume, VOLUME, "rw"),
            _mounted(etc, Path("/etc/switchboard"), "ro"),
        ]
        spec["linux"]["namespaces"] = [one for one in spec["linux"]["namespaces"] if one["type"] != "network"]
        spec["linux"].pop("resources", None)
        (folder / "config.json").write_text(json.dumps(spec), encoding="utf-8")
        return folder


class Container(BotProcess):
    """A container of a bundle, in the foreground: signals reach the bot through runc, whose environment is given."""

    def __init__(self, bundle: Path, *, environment: Mapping[str, str], folder: Path) -> None:
        self._runc = ("runc", "--root", str(folder / "state"))
        script = bundle / "switchboard"
        script.write_text(f"#!/bin/sh\nexec {shlex.join(self._runc)} run --bundle {bundle} {_CONTAINER}\n")
        script.chmod(0o755)
        super().__init__(environment=environment, folder=folder, installed=str(script))

    def inside(self, *command: str) -> str:
        """Run a command in it; what it wrote."""
        return _ran(*self._runc, "exec", _CONTAINER, *command)

    async def discard(self) -> None:
        if self.running:
            _ran(*self._runc, "delete", "--force", _CONTAINER)


def _mounted(source: Path, target: Path, how: str) -> dict[str, Any]:
    return {"destination": str(target), "type": "bind", "source": str(source), "options": ["bind", how]}


def _ran(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{' '.join(command)}: {ran.stderr[-2_000:]}"
    return ran.stdout.strip()
