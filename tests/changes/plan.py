"""A planned change, made in a copy of the tree: what it changes in which files, and the story that then works."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.runner import Copy

_TIMEOUT = 30.0
"""Seconds. A bot that does not start because a file is missing may keep its test from ending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of one file.

    Attributes:
        file: relative to the root of the repository.
        old: text that stands there exactly once; empty: the file is new.
        new: what stands there instead.
        imports: an import that this needs.
    """

    file: str
    old: str = ""
    new: str
    imports: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a section of docs/changes.md plans. ``story``: tests that pass with all edits and fail without any file."""

    plan: str
    edits: Sequence[Edit]
    story: str

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(edit.file for edit in self.edits))

    @contextmanager
    def made(self, *, without: str = "") -> Iterator[Copy]:
        """A copy of the tree with all edits but those of one file.

        Raises:
            ValueError: a text to replace is not there exactly once.
        """
        with tempfile.TemporaryDirectory(prefix="change-") as name:
            folder = Path(name)
            copy = Copy(folder, timeout=_TIMEOUT)
            for edit in self.edits:
                if edit.file != without:
                    _make(folder / edit.file, edit)
            yield copy


def row(file: str, old: str, more: str, *, imports: str = "") -> Edit:
    """A row behind another one."""
    return Edit(file=file, old=old, new=old + more, imports=imports)


def _make(path: Path, edit: Edit) -> None:
    text = edit.new
    if edit.old:
        before = path.read_text(encoding="utf-8")
        if before.count(edit.old) != 1:
            raise ValueError(f"stands {before.count(edit.old)} times in {edit.file}: {edit.old!r}")
        text = before.replace(edit.old, edit.new)
    if edit.imports:
        text = text.replace("\nfrom bot.", f"\n{edit.imports}\nfrom bot.", 1)
    path.write_text(text, encoding="utf-8")
