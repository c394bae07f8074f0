"""An operator's folder and environment."""

from pathlib import Path

import pytest

from bot.settings import Settings
from tests.support.rig import POLICY


def at_home(patch: pytest.MonkeyPatch, folder: Path, **settings: str) -> None:
    """Work in a folder that has a policy and no ``.env``, with these settings in the environment and no other."""
    patch.chdir(folder)
    for name in Settings.model_fields:
        patch.delenv(name.upper(), raising=False)
    (folder / "policy.toml").write_text(POLICY)
    for name, value in settings.items():
        patch.setenv(name, value)
