"""A later version of the program, as far as the database is concerned: today's with one or two steps more."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from alembic.config import Config

from storage import migrations
from storage.migrations import HEAD
from tests.support.replaced import replaced

BESIDE, INSTEAD = "9001", "9002"
"""The first step leaves everything there that today's program uses; the second takes a table away."""

_STEP = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{revision}", "{before}"
{more}


def upgrade():
    {work}
"""
_WORK = {
    BESIDE: 'op.add_column("instruction", sa.Column("colour", sa.Text(), nullable=False, server_default="red"))',
    INSTEAD: 'op.drop_table("unread_answer")',
}


def write_steps(folder: Path, head: str) -> None:
    today = HEAD
    for revision, before, more in ((BESIDE, today, f'works_with = "{today}"'), (INSTEAD, BESIDE, "")):
        if revision <= head:
            step = _STEP.format(revision=revision, before=before, more=more, work=_WORK[revision])
            (folder / f"{revision}.py").write_text(step)


@contextmanager
def later_program(folder: Path, head: str) -> Iterator[Callable[[], Config]]:
    """Be the program that needs version ``head``; gives its Alembic configuration. Its steps go into the folder."""
    write_steps(folder, head)
    migrating = import_module("storage.migrate")  # the package has a function of this name
    ours: Callable[[], Config] = migrating.alembic_config

    def config() -> Config:
        made = ours()
        steps = Path(migrations.__file__).parent / "versions"
        made.set_main_option("path_separator", "newline")
        made.set_main_option("version_locations", f"{steps}\n{folder}")
        return made

    with replaced(migrating, "alembic_config", config), replaced(migrations, "HEAD", head):
        yield config
