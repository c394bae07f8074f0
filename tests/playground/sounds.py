"""A recording for tests: silence or a tone is all the same to them."""

import wave
from io import BytesIO

RATE = 8_000


def wav(seconds: float = 1.0) -> bytes:
    kept = BytesIO()
    with wave.open(kept, "wb") as sound:
        sound.setparams((1, 2, RATE, 0, "NONE", ""))
        sound.writeframes(b"\x10\x20" * int(RATE * seconds))
    return kept.getvalue()
