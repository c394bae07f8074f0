"""Encryption of secrets in the database: AES-256-GCM, bound to the row and column they belong to."""

import hashlib
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = "1"
_NONCE_BYTES = 12
_KEY_BYTES = 32
_KEY_ID_LENGTH = 8


class SealError(ValueError):
    """The text does not open: another key sealed it, it belongs elsewhere, or it was changed."""


class Sealer:
    """Seals under one key of 32 bytes."""

    def __init__(self, *, key: bytes) -> None:
        if len(key) != _KEY_BYTES:
            raise ValueError("a sealing key has 32 bytes")
        self._cipher = AESGCM(key)
        self.key_id = hashlib.sha256(b"switchboard|key id|" + key).hexdigest()[:_KEY_ID_LENGTH]

    def seal(self, text: str, *, row: str, column: str) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, text.encode(), self._bound(row, column))
        return f"{_VERSION}.{self.key_id}.{urlsafe_b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, *, row: str, column: str) -> str:
        """The plain text. Raises SealError."""
        version, _, rest = sealed.partition(".")
        key_id, _, body = rest.partition(".")
        if version != _VERSION or key_id != self.key_id:
            raise SealError("sealed under another key")
        try:
            raw = urlsafe_b64decode(body.encode())
            return self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], self._bound(row, column)).decode()
        except (InvalidTag, ValueError):
            raise SealError("it was changed, or it belongs to another row") from None

    def _bound(self, row: str, column: str) -> bytes:
        return f"{_VERSION}|{self.key_id}|{column}|{row}".encode()
