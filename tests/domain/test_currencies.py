"""Currencies in the name of a column of amounts, and in the cells of a column of currencies."""

import pytest

from bot.domain.currencies import holds_currencies, is_ours, other_currency_in

FOREIGN = [
    "amount (€)", "importe EUR", "monto S/", "Monto S/.", "Betrag in €", "amount MXN", "Amount £", "Valor (R$)", "Bs",
    "monto Bs.", "COP", "montoCOP", "AmountEUR", "amount_eur", "monto pen", "Total in Euro", "importe en euros",
    "sueldo (soles)", "valor em reais", "Betrag (CHF)", "Lohn Franken", "amount C$", "A$ amount", "$MX", "MX$", "¥",
    "montant en francs", "MONTO GTQ", "Quetzales", "Total kr", "dólares canadienses", "Australian dollars", "₲ monto",
    "amount (₡)", "USDT", "BTC", "salary in GBP (gross)", "kwota zł", "amount ＥＵＲ", "amount ALL",
]  # fmt: skip
OURS = [
    "amount", "amount (USD)", "amount $", "amount ($)", "monto US$", "importe en dólares", "usd", "Betrag in USD",
    "total all", "Top up", "TOP UP TOTAL", "try amount", "amount usd", "USD amount", "US dollars", "Amount per person",
    "importe s/ IVA", "Value", "suma", "Pagar a", "Rate", "amount won", "monto U$S", "",
]  # fmt: skip


def test_foreign_currency_in_a_column_name_is_found() -> None:
    assert [name for name in FOREIGN if not other_currency_in(name)] == []
    assert [name for name in OURS if other_currency_in(name)] == []


@pytest.mark.parametrize(("cells", "ours"), [
    (["USD", "usd", "US$", "$", "dollars", "Dólares", "dólar", "US Dollar", "U.S. dollars", "USD ($)", "U$S",
      "US-Dollar", "USD - US Dollar", "Dólares americanos", "dólar estadounidense", "United States Dollar",
      "＄"], True),
    (["EUR", "€", "peso", "A$", "C$", "R$", "MXN$", "$ MXN", "dólares canadienses", "Hong Kong dollar", "S/", "Bs", "-",
      "n/a", "USDT", "USD/EUR", "US", "?"], False),
])  # fmt: skip
def test_currency_cells_are_dollars_or_foreign(cells: list[str], ours: bool) -> None:
    assert [cell for cell in cells if is_ours(cell) is not ours] == []


def test_currency_columns_are_found_by_name() -> None:
    names = ["currency", "Currency code", "moneda", "Divisa", "devise", "Währung", "Waehrung", "moeda", "ccy", "CUR",
             "Curr.", "targetCurrency", "Tipo de moneda", "Währungscode", "payment_currency", "monnaie"]  # fmt: skip
    assert [name for name in names if not holds_currencies(name)] == []
    others = ("email", "amount", "concurrent", "cured", "note", "curso")
    assert [name for name in others if holds_currencies(name)] == []
