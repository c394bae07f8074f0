"""What texts and blocks look like, and that no text ever becomes markup."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.browser.moving import PARTS
from tests.playground.console.scene import FINANCE, NORA, TOMAS, Scene

BOT = Path(__file__).parents[2] / "bot"

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RENDER = """async ([module, name, argument]) => {
  const drawn = (await PARTS)[module][name](argument, {dispatch: async () => {}});
  const holder = document.createElement('div');
  holder.append(drawn);
  for (const node of holder.querySelectorAll('*')) for (const {name} of [...node.attributes])
    if (!['href', 'rel', 'target', 'datetime', 'src'].includes(name)) node.removeAttribute(name);
  return holder.innerHTML;
}""".replace("PARTS", PARTS)
SAFE = ' target="_blank" rel="noopener noreferrer nofollow"'

MRKDWN = {
    "plain": ("just text", "just text"),
    "bold": ("a *bold* word", "a <strong>bold</strong> word"),
    "italic": ("an _italic_ word", "an <em>italic</em> word"),
    "strike": ("~gone~", "<s>gone</s>"),
    "nested": ("*bold _and italic_*", "<strong>bold <em>and italic</em></strong>"),
    "snake case": ("do_not_touch_this", "do_not_touch_this"),
    "arithmetic": ("2 * 3 * 4", "2 * 3 * 4"),
    "unclosed": ("*not bold", "*not bold"),
    "other line": ("*not\nbold*", "*not\nbold*"),
    "code": ("`*raw* &lt;b&gt;`", "<code>*raw* &lt;b&gt;</code>"),
    "fence": ("```\n*raw*\n```", "<pre>*raw*</pre>"),
    "quote": ("&gt; said\nafter", "<blockquote>said</blockquote>after"),
    "entities": ("a &amp;lt; b &lt; c", "a &amp;lt; b &lt; c"),
    "link": ("<https://example.com/a?b=1&amp;c=2|here>", f'<a href="https://example.com/a?b=1&amp;c=2"{SAFE}>here</a>'),
    "bare": ("see https://example.com/x.", f'see <a href="https://example.com/x"{SAFE}>https://example.com/x</a>.'),
    "mail": ("<mailto:a@b.co|a@b.co>", f'<a href="mailto:a@b.co"{SAFE}>a@b.co</a>'),
    "person": (f"<@{TOMAS}> hi", "<span>@Tomás Berg</span> hi"),
    "stranger": ("<@U0NOBODY>", "<span>@U0NOBODY</span>"),
    "group": ("<!subteam^S0TREASURY>", "<span>@treasury</span>"),
    "channel": (f"<#{FINANCE}|finance>", "<button>#finance</button>"),
    "unseen channel": ("<#C0OTHER|other>", "<span>#other</span>"),
    "emoji": (":tada: :no_such_emoji:", "<span>🎉</span> :no_such_emoji:"),
    "emoji in bold": ("*:tada: done*", "<strong><span>🎉</span> done</strong>"),
    "broken date": ("<!date^soon^{date}|soon>", "<time>soon</time>"),
}


async def test_message_text_becomes_what_people_expect(page: Page) -> None:
    drawn = {name: await page.evaluate(RENDER, ["mrkdwn", "mrkdwn", text]) for name, (text, _) in MRKDWN.items()}
    assert drawn == {name: expected for name, (_, expected) in MRKDWN.items()}


async def test_fields_are_drawn_as_slack_draws_them(page: Page) -> None:
    """No first line becomes a label, and no frame stands around a message, unless it is sent so."""
    weight = await page.evaluate(
        """async () => {
      const {drawBlocks} = (await PARTS).blocks;
      const text = {type: 'plain_text', text: 'Name\\nAna'};
      const drawn = drawBlocks([{type: 'section', fields: [text]}], {dispatch: async () => {}});
      document.body.append(drawn);
      return getComputedStyle(drawn.querySelector('.field'), '::first-line').fontWeight;
    }""".replace("PARTS", PARTS)
    )
    assert weight == "400"


FONT = """async (names) => {
  const {emojiFor} = (await PARTS).emoji;
  const bare = [];
  for (const name of names) {
    const character = emojiFor(name);
    const faces = character ? await document.fonts.load('16px "Bundled Emoji"', character) : [];
    if (!faces.length || faces.some((face) => face.status !== 'loaded')) bare.push(name);
  }
  return bare;
}""".replace("PARTS", PARTS)


async def test_every_emoji_that_the_bot_sends_is_in_the_bundled_font(page: Page) -> None:
    sources = [path.read_text() for folder in ("presentation", "workflows") for path in (BOT / folder).rglob("*.py")]
    names = {name for source in sources for name in re.findall(r"(?<![a-z0-9`]):([a-z0-9_]+):(?=[ \"*])", source)}
    assert len(names) > 30
    assert await page.evaluate(FONT, sorted(names)) == []


async def test_dates_are_written_in_the_readers_zone(page: Page) -> None:
    text = "<!date^1700000000^{date_num} at {time}|some day>"
    html = await page.evaluate(RENDER, ["mrkdwn", "mrkdwn", text])
    assert html == '<time datetime="2023-11-14T22:13:20.000Z">2023-11-14 at 22:13</time>'


ATTACKS = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "&lt;img src=x onerror='window.hacked = 1'&gt;",
    "<svg onload=window.hacked=1>",
    "<javascript:window.hacked=1|click me>",
    "<JaVaScRiPt:window.hacked=1|click me>",
    "< javascript:window.hacked=1|click me>",
    "<data:text/html,<script>window.hacked=1</script>|click me>",
    '<https://example.com" onmouseover="window.hacked=1|click me>',
    "<https://example.com|<img src=x onerror=window.hacked=1>>",
    "`<img src=x onerror=window.hacked=1>`",
    "```<script>window.hacked=1</script>```",
    "*<img src=x onerror=window.hacked=1>*",
    "[click](javascript:window.hacked=1)",
    "![x](javascript:window.hacked=1)",
    "| <img src=x onerror=window.hacked=1> | b |\n|---|---|\n| <script>window.hacked=1</script> | d |",
    "<!date^1700000000^<img src=x onerror=window.hacked=1>|x>",
    '<@U0"><img src=x onerror=window.hacked=1>',
    ":<img src=x onerror=window.hacked=1>:",
]


def every_place(text: str) -> list[dict[str, Any]]:
    """Blocks that show a text everywhere a text can stand."""
    plain = {"type": "plain_text", "text": text}
    mrkdwn = {"type": "mrkdwn", "text": text}
    said = [{"type": "text", "text": text}, {"type": "link", "url": text, "text": text}]
    rich_parts = [
        {"type": "rich_text_section", "elements": said},
        {"type": "rich_text_preformatted", "elements": said[:1]},
    ]
    choice = {"text": plain, "value": text}
    field = {"type": "plain_text_input", "action_id": text, "initial_value": text, "placeholder": plain}
    cell = {"type": "raw_text", "text": text}
    controls = [
        {"type": "button", "action_id": text, "text": plain, "value": text, "url": text},
        {"type": "static_select", "action_id": "s", "placeholder": plain, "options": [choice]},
        {"type": "checkboxes", "action_id": "c", "options": [{**choice, "text": mrkdwn, "description": mrkdwn}]},
    ]
    return [
        {"type": "header", "text": plain},
        {"type": "section", "text": mrkdwn, "fields": [mrkdwn, plain]},
        {"type": "context", "elements": [mrkdwn, {"type": "image", "image_url": text, "alt_text": text}]},
        {"type": "image", "image_url": text, "alt_text": text, "title": plain},
        {"type": "actions", "elements": controls},
        {"type": "table", "rows": [[cell], [cell]]},
        {"type": "data_table", "caption": text, "rows": [[cell]]},
        {"type": "markdown", "text": text},
        {"type": text},
        {"type": "input", "block_id": text, "label": plain, "hint": plain, "element": field},
        {"type": "rich_text", "elements": rich_parts},
    ]


async def test_texts_never_become_markup(page: Page) -> None:
    probe = """async ([places]) => {
      const { drawBlocks } = (await PARTS).blocks;
      const found = [];
      for (const blocks of places) {
        const drawn = drawBlocks(blocks, { dispatch: async () => {}, errors: {} });
        document.body.append(drawn);
        for (const link of drawn.querySelectorAll('a'))
          if (!['http:', 'https:', 'mailto:'].includes(link.protocol)) found.push(link.outerHTML);
        for (const node of drawn.querySelectorAll('script, iframe, object, svg, img')) found.push(node.outerHTML);
        for (const node of drawn.querySelectorAll('*'))
          for (const { name } of [...node.attributes]) if (name.startsWith('on')) found.push(node.outerHTML);
        for (const node of drawn.querySelectorAll('a, button')) node.dispatchEvent(new MouseEvent('mouseover'));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        drawn.remove();
      }
      return [found, window.hacked ?? null];
    }""".replace("PARTS", PARTS)
    assert await page.evaluate(probe, [[every_place(attack) for attack in ATTACKS]]) == [[], None]


async def test_messages_of_people_stay_text(page: Page, scene: Scene) -> None:
    for attack in ATTACKS:
        await scene.workspace.say(TOMAS, FINANCE, attack)
    await page.click(f"[data-testid=channel][data-channel={FINANCE}]")
    shown = page.locator("[data-testid=message]")
    await shown.nth(len(ATTACKS) - 1).wait_for()
    assert await shown.nth(0).locator(".message-body").inner_text() == ATTACKS[0]
    assert await shown.nth(1).locator(".message-body").inner_text() == ATTACKS[1]
    assert await page.evaluate("window.hacked ?? null") is None
    assert await page.locator(".messages script, .messages img").count() == 0


async def test_the_policy_stops_what_a_mistake_would_let_through(browser: Browser, scene: Scene) -> None:
    page = await browser.new_page()
    await page.goto(scene.url)
    attempt = """() => {
      try { document.body.innerHTML = '<b>x</b>'; return 'done'; } catch (problem) { return problem.name; }
    }"""
    assert await page.evaluate(attempt) == "TypeError"


async def test_blocks_show_what_they_hold(page: Page, scene: Scene) -> None:
    def row(*texts: str) -> list[dict[str, str]]:
        return [{"type": "raw_text", "text": text} for text in texts]

    words = [{"type": "text", "text": "first"}, {"type": "user", "user_id": NORA}]
    items = [{"type": "rich_text_section", "elements": words}]
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Heading"}},
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "*small*"}]},
        {"type": "table", "rows": [row("Row", "Sum"), row("2", "9.50")]},
        {"type": "markdown", "text": "## Title\n\n- [x] **done**\n\n| a |\n|---|\n| b |"},
        {"type": "rich_text", "elements": [{"type": "rich_text_list", "style": "ordered", "elements": items}]},
    ]
    await scene.bot.client.chat_postMessage(channel=FINANCE, text="all of it", blocks=blocks)
    await page.click(f"[data-testid=channel][data-channel={FINANCE}]")
    message = page.locator("[data-testid=message]").first
    await message.wait_for()
    assert await message.get_by_role("heading", name="Heading").is_visible()
    assert await message.get_by_role("columnheader", name="Sum").is_visible()
    assert await message.get_by_role("cell", name="9.50").is_visible()
    assert await message.get_by_role("heading", name="Title").is_visible()
    assert await message.locator("ol li").inner_text() == "first@Nora Vidal"
    assert await message.locator(".mention-me").count() == 1
    assert await message.get_by_text("all of it").count() == 0


async def test_the_colours_of_a_chart_belong_to_its_words(page: Page) -> None:
    chart = {
        "title": "Payments",
        "chart": {
            "type": "pie",
            "segments": [
                {"label": "Completed", "value": 0},
                {"label": "Failed", "value": 12},
                {"label": "Pending", "value": 48},
            ],
        },
    }
    colours = await page.evaluate(
        """async (block) => {
          const drawn = (await PARTS).chart.chart(block);
          return [...drawn.querySelectorAll('li')].map(one => [one.textContent, one.firstChild.style.background]);
        }""".replace("PARTS", PARTS),
        chart,
    )
    assert colours == [["Failed 12 (20 %)", "var(--danger)"], ["Pending 48 (80 %)", "var(--warn)"]]
