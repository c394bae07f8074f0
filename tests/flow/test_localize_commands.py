"""``/localize`` on the command line and in its forms: every verb, every option, every rule of the declaration."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import Accepts, CallOperation, Capability
from handlers.localize import COMMAND
from tests.flow.localizing import DONE, ENGLISH, Localizer, answer, errors
from tests.support import media
from tests.support.rig import FINANCE, GUS, MARIA, RANDOM, ZOE, Rig
from tests.support.shown import shown

WITH_MEDIA = [one for one in CAPABILITIES if one.media is not None]
CLOSED = [one for one in WITH_MEDIA if one.media is not None and one.media.is_closed]
WITH_TEXT = [one for one in CAPABILITIES if one.text_limit is not None]
SITE = "https://files.example.com"

pytestmark = pytest.mark.rig(clock=None)


def url(one: Capability) -> str:
    assert one.media is not None
    return f"{SITE}/sample.{one.media.formats[0]}"


def form_texts(view: Any) -> Mapping[str, Any]:
    return {block["block_id"]: block for block in view.blocks if block["type"] == "input"}


def sent(maria: Localizer) -> list[Any]:
    return [(call.operation, call.body) for call in maria.rig.localization.calls]


async def next_sent(maria: Localizer, known: int) -> Any:
    return (await maria.rig.workspace.until(lambda: sent(maria)[known:] or None))[0]


async def test_every_example_of_the_help_works(maria: Localizer) -> None:
    told = [answer(await maria.type(f"help {verb.name}")).splitlines()[-1] for verb in COMMAND.verbs]
    examples = [line.removeprefix("Example: `/localize ").rstrip("`") for line in told]
    assert len(set(examples)) == 12
    for example in examples:
        ack = await maria.type(example)
        assert ack.body == "" or answer(ack).startswith(":hourglass_flowing_sand: "), example
    await maria.rig.workspace.until(
        lambda: len([b for b in maria.boards() if DONE in b.text]) == len(examples) - 5 or None, timeout=30
    )
    await maria.answer(number=4)
    assert len(maria.rig.localization.calls) == len(examples)


async def test_an_address(maria: Localizer) -> None:
    for number, one in enumerate(WITH_MEDIA):
        await maria.type(f"{one.verb} {url(one)}")
        board = await maria.board(DONE, number=number)
        assert board.thread_ts == "", one.verb
        if "in thread" in board.text:
            await maria.results(board)
        assert one.media is not None
        defaults = {option.name: option.default for option in one.options if option.default}
        assert sent(maria)[number:] == [(one.operation.value, {one.media.url: url(one), **defaults})]


async def test_text_is_answered_privately(maria: Localizer) -> None:
    private = 0
    for number, one in enumerate(WITH_TEXT):
        stated = "from=en " if one.option("from") is not None else ""
        await maria.type(f"{one.verb} {stated}{ENGLISH}")
        if one.streams:
            board = await maria.board(DONE)
            assert ENGLISH in board.text, one.verb
            results = await maria.results(board)
            assert results[0].thread_ts == board.ts, one.verb
        else:
            told = await maria.answer(f"*{one.title}*", ENGLISH[:30], number=private)
            assert (told.channel, [one.text for one in told.buttons]) == (FINANCE, ["Post in channel"])
            private += 1
        ((operation, body),) = sent(maria)[number:]
        assert (operation, body["text"]) == (one.operation.value, ENGLISH)
    assert len(maria.boards()) == 1


OPTIONS = [
    (one, option, choice.value)
    for one in CAPABILITIES
    for option in one.options
    for choice in (option.choices[:4] if option.choices and option.is_sent else ())
] + [(one, option, option.sample) for one in CAPABILITIES for option in one.options if not option.choices]


async def test_every_option_on_the_command_line(maria: Localizer) -> None:
    for number, (one, option, value) in enumerate(OPTIONS):
        matter = url(one) if one.media is not None else "Some words of it"
        stated = "from=en " if one.option("from") is not None and option.word != "from" else ""
        line = f"{matter} {option.word}={value}" if one.media is not None else f"{stated}{option.word}={value} {matter}"
        await maria.type(f"{one.verb} {line}")
        assert (await next_sent(maria, number))[1][option.name] == value, (one, option)


@pytest.mark.parametrize("verb", ["paraphrase", "summarize"])
async def test_english_is_stated_to_us_alone(maria: Localizer, verb: str) -> None:
    borrowed = "La Traviata, Il Trovatore, La Dolce Vita"
    assert "this looks like Italian" in answer(await maria.type(f"{verb} {borrowed}"))
    assert not maria.rig.localization.calls
    await maria.type(f"{verb} language=en {borrowed}")
    await maria.answer("La Traviata")
    await maria.rig.workspace.until(lambda: sent(maria) or None)
    assert [body for _, body in sent(maria)] == [{"text": borrowed}]


async def test_two_foreign_words_are_sent_with_a_warning(maria: Localizer) -> None:
    texts = {"Muchas gracias": "Spanish", "Danke schön": "German", "Buongiorno amico": "Italian"}
    for text, language in texts.items():
        await maria.type(f"paraphrase {text}")
        await maria.answer(f"This looks like {language}; paraphrase works only for English.")
    await maria.type("summarize Muchas gracias")
    await maria.answer("not long enough to summarize")  # the service decides what is long enough
    assert [body["text"] for _, body in sent(maria)] == [*texts, "Muchas gracias"]


async def test_foreign_text_is_translated_first_with_one_press(maria: Localizer) -> None:
    await maria.type("summarize Die Katze schläft heute im Garten.")
    told = maria.rig.workspace.ephemerals(MARIA)[-1]
    assert [one.text for one in told.buttons] == ["Translate to English first"]
    (first,) = told.buttons
    await maria.rig.workspace.click(MARIA, FINANCE, told.ts, first.action_id)
    assert not maria.rig.localization.calls
    await maria.submit()
    told = await maria.answer("German → English")
    assert [one.text for one in told.buttons] == ["Post in channel"]
    german = "Die Katze schläft heute im Garten."
    assert sent(maria) == [("translation", {"text": german, "source_lang": "de", "target_lang": "en"})]


async def test_detected_language_can_be_changed(maria: Localizer) -> None:
    told = answer(await maria.type("translate to=en Où est la gare ?"))
    assert told == ":hourglass_flowing_sand: Translating from French to English…"
    first = await maria.answer("French (detected) → English")
    assert [one.text for one in first.buttons] == ["Post in channel", "Another language"]
    await maria.rig.workspace.click(MARIA, FINANCE, first.ts, first.buttons[1].action_id)
    fields = form_texts(maria.form)
    assert fields["option.source_lang"]["element"]["initial_option"]["value"] == "fr"
    await maria.submit({"option.source_lang": "ht"})
    second = await maria.answer("Haitian Creole → English")
    assert [one.text for one in second.buttons] == ["Post in channel"]
    assert not maria.boards()
    assert [body["source_lang"] for _, body in sent(maria)] == ["fr", "ht"]


async def test_language_of_a_text_is_detected_or_asked(maria: Localizer) -> None:
    for number, (line, text, likely, target, asked) in enumerate(
        [
            ("translate to=en Hej", "Hej", "fr", "en", ""),
            ("translate Доброе утро", "Доброе утро", "ru", "en", " I think it's Russian."),
            ("translate to=de Hello", "Hello", "en", "de", ""),
            ("translate to=de 12 345", "12 345", "en", "de", ""),
        ]
    ):
        await maria.type(line)
        fields = form_texts(maria.form)
        assert fields["text"]["element"]["initial_value"] == text
        chosen = fields["option.source_lang"]["element"].get("initial_option")
        assert (chosen["value"] if chosen is not None else None) == likely, line
        assert fields["option.target_lang"]["element"]["initial_option"]["value"] == target, line
        assert shown(maria.form).splitlines()[1] == f"What language is this?{asked}", line
        assert len(sent(maria)) == number, line
        await maria.submit({"option.source_lang": likely or "en"})
        await maria.answer("*Translate*", number=number)
        ((_, body),) = sent(maria)[number:]
        assert body == {"text": text, "source_lang": likely or "en", "target_lang": target}


async def test_letters_of_one_language_are_enough_and_shown(maria: Localizer) -> None:
    told = answer(await maria.type("translate to=fr こんにちは"))
    assert told == ":hourglass_flowing_sand: Translating to French…"
    await maria.answer("Japanese → French")
    ((_, body),) = sent(maria)
    assert body["source_lang"] == "ja"


MISTAKES = [
    *((f"{one.verb} {SITE}/a.pdf", "it must lead to a") for one in CLOSED),
    *((f"{one.verb} {url(one)} {url(one)}x", "isn't expected here") for one in CLOSED),
    *((f"{one.verb} no-address", "isn't a link; a link begins with https://") for one in CLOSED),
    (f"extract-audio rate=8000 {SITE}/a.mp4", "16000, 22050, 44100 or 48000"),
    (f"extract-audio width=24 {SITE}/a.mp4", "16 or 32"),
    (f"extract-audio channels=6 {SITE}/a.mp4", "1 or 2"),
    (f"extract-audio channels=1 channels=2 {SITE}/a.mp4", "Give channels= only once"),
    (f"extract-audio bits=16 {SITE}/a.mp4", "There is no option bits=; there is rate=, width=, channels="),
    (f"convert target=ogg {SITE}/a.mp3", "wav or mp3"),
    ("convert target=mp3", "Add a link"),
    (f"gender user:word@{SITE}/a.mp3", "https"),
    ("gender https://user:word@files.example.com/a.mp3", "user name or a password"),
    ("paraphrase Привет, как дела?", "Only English"),
    ("summarize Привет, как дела?", "Only English"),
    ("translate to=klingon! Hello", "a language such as es"),
    ("translate to=xx Hello", "a language such as es"),
    ("translate from=xx Hello", "a language such as en"),
    ("translate from=en to=en Hello", "is in English already"),
    ("translate from=en to=English Hello", "is in English already"),
    ("speak locale=xx-US Hello", "a language such as en-US"),
    ("transliterate to=hi नमस्ते", "There is no option to=; there is from="),
    ("paraphrase tone=formal Hello there.", "There is no option tone=; there is language="),
    ("paraphrase Où est la gare ?", "Only English is understood here, and this looks like French"),
    ("summarize language=de Guten Tag", "Only English"),
    ("speak speed=fast Hello", "a number"),
    ("translate from=en to=fr", "Add a text"),
]


async def test_mistakes_on_the_command_line(maria: Localizer) -> None:
    for line, rule in MISTAKES:
        text = answer(await maria.type(line))
        said = rf":pencil2: .*{re.escape(rule)}.*"
        example = rf"Example: `/localize {line.split(maxsplit=1)[0]} .+`"
        assert re.fullmatch(rf"{said}\n{example}", text), text
    assert not maria.rig.localization.calls
    assert not maria.boards()


async def test_emotion_of_an_address_and_of_a_text(maria: Localizer) -> None:
    await maria.type("emotion I am so glad")
    await maria.answer(":smile: *Joy*")
    await maria.type("emotion")
    both = errors(await maria.submit({"text": "I am glad", "url": f"{SITE}/a.mp3"}))
    assert both == {"text": "Use only one of these.", "url": "Use only one of these."}
    await maria.submit({"text": "", "url": f"{SITE}/a.mp3"})
    await maria.board(DONE, "Emotion in speech")
    assert [operation for operation, _ in sent(maria)] == ["text_emotion", "speech_emotion"]


async def test_verb_without_arguments_opens_a_form(maria: Localizer) -> None:
    for one in CAPABILITIES:
        await maria.type(one.verb)
        fields = form_texts(maria.form)
        if one.text_limit is not None:
            assert fields["text"]["element"]["max_length"] == one.text_limit
        if one.media is not None:
            assert set(one.media.formats) <= set(fields["file"]["element"]["filetypes"])
            assert "url" in fields
        for option in one.options:
            element = fields[f"option.{option.name}"]["element"]
            if option.accepts is Accepts.CHOICE:
                assert element["initial_option"]["value"] == option.default
                assert [each["value"] for each in element["options"]] == [each.value for each in option.choices]


CHOSEN = [(one, option) for one in CAPABILITIES for option in one.options if option.is_sent]


async def test_every_option_in_the_form(maria: Localizer) -> None:
    for number, (one, option) in enumerate(CHOSEN):
        value = option.choices[-1].value if option.choices else option.sample
        await maria.type(one.verb)
        stated = {"option.source_lang": "en"} if one.option("from") is not None else {}
        matter = {"text": ENGLISH, **stated} if one.media is None else {"url": url(one)}
        await maria.submit({**matter, f"option.{option.name}": value})
        assert (await next_sent(maria, number))[1][option.name] == value, (one, option)


async def test_neither_or_both_inputs_are_errors_at_their_fields(maria: Localizer, tmp_path: Path) -> None:
    for one in WITH_MEDIA:
        assert one.media is not None
        sample = media.make(tmp_path, "mp4" if one.operation is CallOperation.AUDIO_EXTRACTION else "mp3")
        file = maria.rig.workspace.upload(MARIA, sample.name, sample)
        await maria.type(one.verb)
        neither = errors(await maria.submit())
        if one.verb == "emotion":
            assert list(neither) == ["text"]
        else:
            article = "an" if one.media.noun[0] in "aeiou" else "a"
            example = f"https://example.com/sample.{one.media.formats[0]}"
            assert neither == {"url": f"Add a link to {article} {one.media.noun}, or a file. Example: {example}"}
        both = errors(await maria.rig.workspace.submit(MARIA, {"file": [file], "url": url(one)}, force=True))
        assert both == {"file": "Use only one of these.", "url": "Use only one of these."}, one.verb
        await maria.rig.workspace.close(MARIA)
    assert not maria.rig.localization.calls


async def test_wrong_format_is_shown_at_its_field(maria: Localizer, tmp_path: Path) -> None:
    for one in CLOSED:
        assert one.media is not None
        wrong = media.make(tmp_path, "mp3" if one.operation is CallOperation.AUDIO_EXTRACTION else "mp4")
        file = maria.rig.workspace.upload(MARIA, f"liar.{one.media.formats[0]}", wrong)
        await maria.type(one.verb)
        found = errors(await maria.rig.workspace.submit(MARIA, {"file": [file]}, force=True))
        assert list(found) == ["file"], one.verb
        assert one.media.listed in found["file"], one.verb
        found = errors(await maria.rig.workspace.submit(MARIA, {"file": [], "url": f"{SITE}/a.pdf"}, force=True))
        assert list(found) == ["url"], one.verb
        assert one.media.listed in found["url"], one.verb
        await maria.rig.workspace.close(MARIA)
    assert not maria.rig.localization.calls


FORGED = [
    ("translate", {"text": "a" * 200_001, "option.source_lang": "en"}, "text"),
    ("extract-audio", {"url": f"{SITE}/a.mp4", "option.sample_rate": "8000"}, "option.sample_rate"),
    ("extract-audio", {"url": f"{SITE}/a.mp4", "option.sample_width": "24"}, "option.sample_width"),
    ("extract-audio", {"url": f"{SITE}/a.mp4", "option.n_channels": "6"}, "option.n_channels"),
    ("convert", {"url": f"{SITE}/a.mp3", "option.target_extension": "ogg"}, "option.target_extension"),
]


async def test_values_that_no_form_offers(maria: Localizer) -> None:
    for verb, values, block in FORGED:
        await maria.type(verb)
        assert list(errors(await maria.rig.workspace.submit(MARIA, values, force=True))) == [block]
        await maria.rig.workspace.close(MARIA)
    assert not maria.rig.localization.calls


async def test_permitted_people_can_localize(rig: Rig) -> None:
    line = "paraphrase Hello there."
    assert "Guests can't" in answer(await Localizer(rig, user=GUS).type(line))
    assert not rig.localization.calls
    for number, user in enumerate((ZOE, MARIA)):
        person = Localizer(rig, user=user)
        assert answer(await person.type(line)) == ":hourglass_flowing_sand: Paraphrasing…", user
        told = await person.answer("*Paraphrase*")
        assert (told.ephemeral_to, len(rig.localization.calls)) == (user, number + 1)


@pytest.mark.rig(localization_base_url=None, localization_api_key=None)
async def test_not_configured(rig: Rig) -> None:
    maria = Localizer(rig)
    for line in ("gender", "gender https://example.com/a.mp3", "paraphrase Hello"):
        assert "`LOCALIZATION_BASE_URL`, `LOCALIZATION_API_KEY`" in answer(await maria.type(line))
    assert answer(await maria.type("help")).startswith("*/localize*")


async def test_nonmember_bot_answers_several_files_directly(rig: Rig, tmp_path: Path) -> None:
    maria = Localizer(rig, channel=RANDOM)
    sample = media.make(tmp_path, "mp3")
    uploaded = [rig.workspace.upload(MARIA, f"{number}.mp3", sample) for number in range(2)]
    await maria.type("gender")
    await rig.workspace.submit(MARIA, {"file": uploaded})
    assert "I'm not in this channel, so I'll message you" in rig.form().plain
