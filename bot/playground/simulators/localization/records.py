"""Values of a request, and the service's switches."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(kw_only=True)
class Switches:
    """Behaviour that the interface document leaves open, and misbehaviour.

    Attributes:
        audio_as_bytes: extraction and conversion return the audio instead of its address.
        expire_at_once: result addresses expire immediately.
        lacks_music: separation returns only the vocals.
        instead: a file served as every result, whatever its name.
        names: other names for fields of answers, by their usual names.
        wraps: a field that contains the whole answer; empty for none.
        errors: the shape of error bodies: ``message``, ``detail``, ``error``, ``errors``, ``text`` or ``html``.
        key_is_wrong: no key is accepted.
    """

    audio_as_bytes: bool = False
    expire_at_once: bool = False
    lacks_music: bool = False
    instead: Path | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    wraps: str = ""
    errors: str = "message"
    key_is_wrong: bool = False


@dataclass(frozen=True, kw_only=True)
class Part:
    """An uploaded file. ``path`` holds its bytes while the request is served."""

    filename: str
    content_type: str
    size: int
    path: Path


@dataclass(frozen=True, kw_only=True)
class Form:
    """A multipart form: text fields and files by name; ``repeated`` are names that came more than once."""

    fields: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Part] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()

    def loggable(self) -> object:
        """For the log: files by name, type and size."""
        files = {
            name: {"filename": part.filename, "content_type": part.content_type, "size": part.size}
            for name, part in self.files.items()
        }
        return {**self.fields, **files}


class InvalidError(Exception):
    """The request breaks a rule: ``status``, the field and the service's words."""

    def __init__(self, field_name: str, message: str, *, status: int = 422) -> None:
        super().__init__(message)
        self.field = field_name
        self.message = message
        self.status = status


@dataclass(kw_only=True)
class Held:
    """A result that can be fetched until it expires."""

    content: Path
    content_type: str
    expires_at: float
    fetched: int = 0
    authorization: list[str] = field(default_factory=list)
    """Credentials sent with each fetch; a careful caller sends none."""
