"""The shipped Dockerfile, read as a builder reads it."""

import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "Dockerfile"
VOLUME = Path("/var/lib/switchboard")
PROGRAM = "/opt/switchboard"
"""Where the image has the program and what it needs."""


@dataclass(frozen=True)
class Instruction:
    """One instruction. ``stage``: 0 builds, 1 is the image."""

    stage: int
    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """What follows its name: the exec form's arguments, or words as a shell splits them."""
        if self.rest.startswith("["):
            exec_form: list[str] = json.loads(self.rest)
            return exec_form
        return shlex.split(self.rest)


@dataclass(frozen=True)
class Containerfile:
    """All instructions, in order."""

    instructions: Sequence[Instruction]

    @classmethod
    def read(cls, text: str) -> Self:
        """Lines ending in a backslash go on; comments are dropped, between them, too."""
        lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        found: list[Instruction] = []
        stage = -1
        for line in re.sub(r"\\\n", " ", lines).splitlines():
            if line.strip():
                name, _, rest = line.strip().partition(" ")
                stage += name == "FROM"
                found.append(Instruction(stage, name, rest.strip()))
        return cls(found)

    def of(self, name: str, *, stage: int = 1) -> list[Instruction]:
        """The instructions of this name in a stage; -1: those before the first stage."""
        return [one for one in self.instructions if (one.stage, one.name) == (stage, name)]

    def only(self, name: str, *, stage: int = 1) -> Instruction:
        (one,) = self.of(name, stage=stage)
        return one

    @property
    def environment(self) -> Mapping[str, str]:
        return dict(word.split("=", 1) for one in self.of("ENV") for word in one.words)

    @property
    def health(self) -> list[str]:
        _, _, command = self.only("HEALTHCHECK").rest.partition(" CMD ")
        asked: list[str] = json.loads(command)
        return asked


def shipped() -> Containerfile:
    return Containerfile.read(CONTAINERFILE.read_text(encoding="utf-8"))


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])
