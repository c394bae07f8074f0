"""The operations on a form that passed the rules."""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import aiohttp

from bot.playground.simulators.localization import media, words
from bot.playground.simulators.localization.media import Sound, UnreadableError
from bot.playground.simulators.localization.records import Form, InvalidError
from bot.playground.simulators.localization.rules import MAX_SECONDS, RULES, sniff

_SAMPLE = 1 << 16
_DOWNLOAD_LIMIT = 64 << 20
_VOCALS = "mono|c0=0.5*FL+0.5*FR"
_MUSIC = "mono|c0=0.5*FL-0.5*FR"


class Work:
    """The operations. ``directory`` is this request's own."""

    def __init__(self, *, form: Form, directory: Path) -> None:
        self._form = form
        self._directory = directory

    async def do(self, operation: str) -> dict[str, object]:
        """Do it; paths in the answer are results to be held.

        Raises:
            InvalidError: the file cannot be worked on.
        """
        doing: Mapping[str, Callable[[], Awaitable[dict[str, object]]]] = {
            "gender_detection": self._gender,
            "paraphrase": self._paraphrase,
            "summary_generation": self._summary,
            "audio_extraction": self._extraction,
            "music_source_separation": self._separation,
            "audio_conversion": self._conversion,
            "text_to_speech": self._speech,
            "speech_to_text": self._transcription,
            "translation": self._translation,
            "transliteration": self._transliteration,
            "text_extraction": self._text_extraction,
            "text_emotion": self._text_emotion,
            "speech_emotion": self._speech_emotion,
        }
        return await doing[operation]()

    @property
    def _text(self) -> str:
        return self._form.fields.get("text", "")

    @property
    def _name(self) -> str:
        return next((part.filename for part in self._form.files.values()), "")

    def _field(self, name: str, default: str) -> str:
        return self._form.fields.get(name) or default

    async def _paraphrase(self) -> dict[str, object]:
        return {"paraphrased_sentences": words.paraphrases(self._text)}

    async def _summary(self) -> dict[str, object]:
        return {"summary": words.summary(self._text)}

    async def _translation(self) -> dict[str, object]:
        source, target = self._field("source_lang", ""), self._field("target_lang", "")
        return {"translated_text": words.translation(self._text, source=source, target=target)}

    async def _transliteration(self) -> dict[str, object]:
        return {"transliterated_text": words.transliteration(self._text)}

    async def _text_emotion(self) -> dict[str, object]:
        return {"emotion": words.emotion(self._text)}

    async def _gender(self) -> dict[str, object]:
        gender, confidence = words.some_gender(await self._sample("gender_detection"))
        return {"gender": gender, "confidence": confidence}

    async def _speech_emotion(self) -> dict[str, object]:
        return {"emotion": words.some_label(await self._sample("speech_emotion"))}

    async def _transcription(self) -> dict[str, object]:
        await self._sample("speech_to_text")
        return {"text": words.transcript(self._name, self._field("locale", ""))}

    async def _text_extraction(self) -> dict[str, object]:
        return {"text": words.document_text(await self._sample("text_extraction"), self._name)}

    async def _speech(self) -> dict[str, object]:
        sound = Sound(extension="mp3", rate=44_100)
        return {"audio_clip": await self._converted(None, "speech.mp3", sound)}

    async def _conversion(self) -> dict[str, object]:
        source = await self._source("audio_conversion")
        extension = self._field("target_extension", "wav")
        sound = Sound(extension=extension, rate=44_100, width=16, channels=2)
        return {"audio_url": await self._converted(source, f"converted.{extension}", sound)}

    async def _extraction(self) -> dict[str, object]:
        source = await self._source("audio_extraction")
        sound = Sound(
            extension="wav",
            rate=int(self._field("sample_rate", "44100")),
            width=int(self._field("sample_width", "32")),
            channels=int(self._field("n_channels", "1")),
        )
        return {"audio": await self._converted(source, "audio.wav", sound)}

    async def _separation(self) -> dict[str, object]:
        source = await self._source("music_source_separation")
        sound = Sound(extension="mp3", rate=44_100)
        return {
            "vocals": await self._converted(source, "vocals.mp3", sound, pan=_VOCALS),
            "music": await self._converted(source, "music.mp3", sound, pan=_MUSIC),
        }

    async def _converted(self, source: Path | None, name: str, sound: Sound, *, pan: str = "") -> Path:
        target = self._directory / name
        try:
            await asyncio.to_thread(media.convert, source, target, sound, pan=pan)
        except UnreadableError:
            raise InvalidError("file", "holds no sound that can be read") from None
        return target

    async def _sample(self, operation: str) -> bytes:
        """The beginning of the file, or of the address where there is none to read."""
        source = await self._source(operation)
        if source is None:
            return next(iter(self._form.fields.values()), "").encode()
        with source.open("rb") as file:
            return file.read(_SAMPLE)

    async def _source(self, operation: str) -> Path | None:
        """The file to work on; None when it is at an address that is not on this machine."""
        rule = RULES[operation].source
        if rule is None:
            return None
        part = self._form.files.get(rule.file)
        path = part.path if part is not None else await self._downloaded(self._form.fields[rule.url])
        if path is None or not rule.formats:
            return path
        with path.open("rb") as file:
            looks = sniff(file)
        if looks and not looks & set(rule.formats):
            raise InvalidError(rule.url, f"unsupported format; supported: {', '.join(rule.formats)}")
        try:
            seconds = await asyncio.to_thread(media.seconds_of, path)
        except UnreadableError:
            raise InvalidError(rule.file, "cannot be read") from None
        if operation == "audio_extraction" and seconds is not None and seconds > MAX_SECONDS:
            raise InvalidError(rule.file, f"the video is {seconds:.0f} s long; at most {MAX_SECONDS} s are supported")
        return path

    async def _downloaded(self, url: str) -> Path | None:
        """Content of an address on this machine; no other connections are opened."""
        parts = urlsplit(url)
        if not _is_here(parts.hostname or ""):
            return None
        path = self._directory / f"download-{PurePosixPath(unquote(parts.path)).name[-40:] or 'file'}"
        try:
            async with aiohttp.ClientSession() as session, session.get(url, allow_redirects=False) as answer:
                if answer.status != 200:  # noqa: PLR2004 - found
                    raise InvalidError("url", f"answers {answer.status}")
                content = await answer.content.read(_DOWNLOAD_LIMIT)
        except aiohttp.ClientError:
            raise InvalidError("url", "cannot be downloaded") from None
        await asyncio.to_thread(path.write_bytes, content)
        return path


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
