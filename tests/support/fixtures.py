"""Short names of what pytest hands to tests."""

import pytest

Logged = pytest.LogCaptureFixture
Patch = pytest.MonkeyPatch
Printed = pytest.CaptureFixture[str]
