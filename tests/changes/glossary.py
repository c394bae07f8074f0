"""A fifth service as part of the bot, in a copy of the tree: ``tests/fifth_service`` moved into its rooms."""

from pathlib import Path
from typing import Final

from tests.changes.plan import Change, Edit, row

_OUTSIDE: Final = Path(__file__).parents[1] / "fifth_service"


def _moved(name: str) -> str:
    """The text of one of its files, with the imports of where they go."""
    text = (_OUTSIDE / name).read_text(encoding="utf-8")
    return (
        text.replace("from tests.fifth_service import words", "from bot.presentation import glossary as words")
        .replace("tests.fifth_service.client", "bot.clients.glossary")
        .replace("service: Service[GlossaryClient]", "")
        .replace("user, service, SERVICE", "user, deps.ctx.glossary, SERVICE")
        .replace("from bot.workflows.services.service import Service\n", "")
    )


_NAMES = '    "glossary": ("glossary_base_url", "glossary_api_key"),\n'
_FIELDS = "    glossary_base_url: Url | None = None\n    glossary_api_key: Secret | None = None\n"
_MISSING = """
    @property
    def missing_for_glossary(self) -> tuple[str, ...]:
        return self._missing("glossary")

"""
_MAKE = """
def make_glossary(outside: Outside) -> Service[GlossaryClient]:
    base_url, key = outside.settings.glossary_base_url, outside.settings.glossary_api_key
    if base_url is None or key is None:
        return Service(client=None, missing=outside.settings.missing_for_glossary)
    transport = outside.transport("glossary", base_url)
    return Service(
        client=GlossaryClient(routes=outside.routes(), transport=transport, key=key, answers=outside.answers)
    )


"""
_WATCHED = """\
    Watched(
        name="glossary",
        circuit=lambda ctx: ctx.glossary.client.circuit if ctx.glossary.client else None,
    ),
"""

GLOSSARY: Final = Change(
    plan="A fifth service",
    story="tests/changes/glossary_story.py",
    edits=(
        row("bot/settings.py", '"email_bulk_base_url", "email_api_key"),\n', _NAMES),
        row("bot/settings.py", "    email_api_key: Secret | None = None\n", _FIELDS),
        Edit(
            file="bot/settings.py",
            old="    @property\n    def missing_for_emails(self)",
            new=f"{_MISSING}    @property\n    def missing_for_emails(self)",
        ),
        row(
            "bot/cli/checks.py",
            '        ("e-mail processing", settings.missing_for_emails),\n',
            '        ("glossary", settings.missing_for_glossary),\n',
        ),
        row(
            "bot/cli/doctor.py",
            "        yield await _answers(session, EMAILS, settings.missing_for_emails, *emails)\n",
            "        missing, url = settings.missing_for_glossary, settings.glossary_base_url\n"
            '        yield await _answers(session, "glossary", missing, url)\n',
        ),
        Edit(
            file="bot/clients/routes.toml",
            old="[payments.list_operations]\n",
            new=f"{(_OUTSIDE / 'routes.toml').read_text(encoding='utf-8')}\n[payments.list_operations]\n",
        ),
        Edit(file="bot/clients/glossary.py", new=_moved("client.py")),
        Edit(
            file="bot/wiring/services.py",
            old="\ndef make_localization(",
            new=f"{_MAKE}def make_localization(",
            imports="from bot.clients.glossary import GlossaryClient",
        ),
        row(
            "bot/app.py",
            "            delivery=self._delivery,\n",
            "            glossary=make_glossary(self._outside),\n",
            imports="from bot.wiring.services import make_glossary",
        ),
        Edit(
            file="bot/wiring/workers.py",
            old=')\n"""Services whose silence is noticed."""\n',
            new=f'{_WATCHED})\n"""Services whose silence is noticed."""\n',
        ),
        row(
            "bot/workflows/context.py",
            "    delivery: Service[DeliveryService]\n",
            "    glossary: Service[GlossaryClient]\n",
            imports="from bot.clients.glossary import GlossaryClient",
        ),
        row(
            "bot/workflows/admin/overview.py",
            "        (DELIVERY, uow.ctx.delivery.missing),\n",
            '        ("glossary", uow.ctx.glossary.missing),\n',
        ),
        Edit(file="bot/presentation/glossary.py", new=_moved("words.py")),
        Edit(file="handlers/glossary.py", new=f"{_moved('command.py')}\n\nCOMMAND = glossary()\n"),
        row(
            "handlers/registry.py",
            "    email.COMMAND,\n",
            "    glossary.COMMAND,\n",
            imports="from handlers import glossary",
        ),
    ),
)
