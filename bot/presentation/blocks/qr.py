"""A link as a picture that a phone can read."""

from io import BytesIO

import segno

LONGEST = 2_000
"""Characters that a QR code holds, with room for the error correction."""
_PIXELS = 8
_QUIET_ZONE = 4
"""Modules of white around it, without which cameras do not find it (ISO/IEC 18004)."""


def png(link: str) -> bytes:
    """A PNG of a QR code that holds ``link``; takes some milliseconds of computing.

    Raises:
        ValueError: the link is longer than a QR code can hold.
    """
    picture = BytesIO()
    segno.make(link, error="m", micro=False).save(picture, kind="png", scale=_PIXELS, border=_QUIET_ZONE)
    return picture.getvalue()
