"""Chromium for the tests of the page: where it is, why it does not start, how it gets here.

``python -m tests.browser.chromium`` fetches one where there is none; ``--probe`` starts driver and browser once.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import Error, sync_playwright

BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one is the same engine without windows; it takes half the processor time of the second."""
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MEND: Final = "apt-get install chromium-headless-shell libatomic1"
"""libatomic1 is what Playwright's driver needs on a bare machine."""

_MODULE: Final = "tests.browser.chromium"
_PROBE_SECONDS: Final = 60
_APT_SECONDS: Final = 300
_DOWNLOAD_SECONDS: Final = 120
_LIBRARY: Final = re.compile(r"error while loading shared libraries: ([^:\s]+)")


def installed() -> str | None:
    """Path of a browser of the machine; None: the one that Playwright fetched, if it did."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def trouble() -> str:
    """Why no browser starts here; empty: one does. Takes a second or two."""
    try:
        probed = subprocess.run(
            [sys.executable, "-m", _MODULE, "--probe"],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
            timeout=_PROBE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"Chromium did not start within {_PROBE_SECONDS} s"
    return "" if probed.returncode == 0 else _reason(probed.stderr)


def _reason(printed: str) -> str:
    library = _LIBRARY.search(printed)
    if library:
        return f"{library[1]} is missing on this machine"
    if "Executable doesn't exist" in printed:
        return "there is no Chromium on this machine"
    return next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "Chromium does not start")


def probe() -> int:
    """Start driver and browser, and open an empty page; what is wrong goes to standard error."""
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=installed(), args=[*FLAGS])
            browser.new_page().goto("about:blank")
            browser.close()
    except Error as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    return 0


def fetch() -> int:
    """Get a browser where there is none: from Debian as root, otherwise Playwright's own. Failure is no error here."""
    if not trouble():
        return 0
    if os.getuid() == 0 and shutil.which("apt-get"):
        sys.stdout.write("Installing Chromium for the tests of the page, from Debian.\n")
        from_debian = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "libatomic1")
        done = _ran("apt-get", "update", "-qq", seconds=_APT_SECONDS) and any(
            _ran(*from_debian, name, seconds=_APT_SECONDS)
            for name in ("chromium-headless-shell", "chromium")  # older releases have it in one package only
        )
    else:
        sys.stdout.write("Fetching Chromium for the tests of the page.\n")
        install = (sys.executable, "-m", "playwright", "install", "chromium-headless-shell")
        done = _ran(*install, seconds=_DOWNLOAD_SECONDS)
    if not done:
        sys.stdout.write(f"It could not be fetched; the tests of the page will be left out. → {MEND}\n")
    return 0


def _ran(*command: str, seconds: int) -> bool:
    """Whether it succeeded in time; what it started ends with it."""
    process = subprocess.Popen(
        command,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Get Chromium for the tests of the page.")
    parser.add_argument("--probe", action="store_true", help="start driver and browser once, and say what is wrong")
    sys.exit(probe() if parser.parse_args().probe else fetch())
