"""The page on which a buyer's browser ends after the checkout. It says what happens next, not what happened."""

from html import escape

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1d1c1d }}
h1 {{ font-size: 1.3rem }}
</style></head><body><h1>{title}</h1><p>{text}</p></body></html>
"""


def thanks() -> str:
    """After paying, as far as the browser knows."""
    return _page(
        "Thank you",
        "The team that asked you is told as soon as the payment service confirms the payment. You can close this page.",
    )


def left() -> str:
    """After leaving the checkout."""
    return _page(
        "You left the checkout",
        "The team that asked you is told if the purchase was canceled. You can close this page.",
    )


def _page(title: str, text: str) -> str:
    return _PAGE.format(title=escape(title), text=escape(text))
