"""Every form can be filled in with one press, and what stands in it then is taken."""

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, by, close_forms, enter, narrow, say
from tests.playground.console.scene import FINANCE, TRY_IT, Scene

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

REQUESTER, ADMIN = "U0MARIA", "U0OLGA"
FORMS = {
    "/pay send": REQUESTER,
    "/pay now": REQUESTER,
    "/pay collect": REQUESTER,
    "/pay account": REQUESTER,
    "/pay bulk": REQUESTER,
    "/pay show": REQUESTER,
    "/deliver quote": REQUESTER,
    "/deliver book": REQUESTER,
    "/deliver prebook": REQUESTER,
    "/deliver store add": ADMIN,
    "/localize translate": REQUESTER,
    "/localize paraphrase": REQUESTER,
    "/localize speak": REQUESTER,
    "/localize convert": REQUESTER,
    "/localize extract-text": REQUESTER,
    "/email check": REQUESTER,
    "/email file": REQUESTER,
    "/pay freeze": ADMIN,
}
WENT_ON = """before => {
  const form = document.querySelector('[data-testid=modal]');
  const wrong = form?.querySelector('[data-testid=field-error]');
  if (wrong) throw new Error(wrong.textContent);
  return !form || form.querySelector('.modal-body').textContent !== before;
}"""


async def test_every_form_takes_its_example(visit: Page, playground: Playground) -> None:
    page, form = visit, by(visit, "modal")
    for command, person in FORMS.items():
        await become(page, person)
        await enter(page, "C0DELIVERY" if command.startswith("/deliver") else "C0FINANCE")
        await say(page, command)
        await by(page, "modal-example").click()
        for field in await form.locator("[aria-required=true]:is(input, textarea, select)").all():
            await expect(field, command).not_to_have_value("")
        if command in ("/pay send", "/deliver book"):
            await narrow(page, f"example-{command[1:].replace(' ', '-')}")
        before = await form.locator(".modal-body").text_content()
        await by(page, "modal-submit").click()
        await page.wait_for_function(WENT_ON, arg=before)
        if await form.count():
            await close_forms(page)
            await expect(form).to_have_count(0)
    asked = playground.payments.calls
    assert "account_status" in {call.operation for call in asked}


async def test_an_example_leaves_alone_what_was_typed(page: Page, scene: Scene) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await page.click("[data-action-id=reject]")
    modal = by(page, "modal")
    await modal.get_by_label("Reason").fill("my own words")
    await by(page, "modal-example").click()
    await expect(modal.get_by_label("Late", exact=True)).to_be_checked()
    await expect(modal.get_by_label("Reason")).to_have_value("my own words")
    await page.reload()
    await expect(modal.get_by_label("Late", exact=True)).to_be_checked()  # kept like typing
    assert "view_submission" not in {body.get("type") for body in scene.bot.heard}  # nothing was sent
