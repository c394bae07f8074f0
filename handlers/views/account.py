"""The form that looks up the account of an address; the answer replaces the form."""

from bot.domain.errors import PersonError
from bot.presentation import mistakes, views
from bot.presentation.payments import forms, operations
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import fields
from handlers.input.admission import payments_for
from handlers.input.service_call import service_call
from handlers.replies import Answer, FieldErrors, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """The form by its callback id."""
    router.views[forms.ACCOUNT] = look_up


async def look_up(deps: Dependencies, form: Submission) -> Reply:
    """Replace the form by the service's record; a mistake is shown at the field."""
    try:
        email = fields.email(form.values.get(forms.EMAIL, ""))
    except PersonError as broken:
        return FieldErrors({forms.EMAIL: mistakes.at_field(broken)})
    payments = await payments_for(deps, form.user)

    async def look_there() -> Answer:
        found = operations.account(email, await payments.account_status(email))
        return Replace(views.result(forms.ACCOUNT_TITLE, found.blocks))

    return service_call(look_there)
