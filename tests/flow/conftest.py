"""Fixtures of the flows."""

import pytest

from tests.flow.localizing import Localizer
from tests.support.rig import Rig


@pytest.fixture
def maria(rig: Rig) -> Localizer:
    """Maria in #finance, who localizes."""
    return Localizer(rig)
