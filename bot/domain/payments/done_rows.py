"""Rows of a payment file that are marked as done (paid, sent, canceled, refunded), in four languages.

Paying such a row again is the usual way to pay twice, so it is left out until a person includes it. A person is asked
about an unknown status; a column that isn't about payment (a member's status, a US state) leaves nothing out.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.domain.files.tables import Row
from bot.domain.payments.deliverability import LOST, Doubt
from bot.domain.references import NAMED
from bot.domain.text import clean


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PAID: Final = _words("""
    paid prepaid repaid paidout sent transferred wired remitted settled disbursed refunded reimbursed credited
    deposited processed executed cleared canceled cancelled voided void reversed payed posted booked
    pagado pagada pagados pagadas abonado abonada enviado enviada transferido transferida liquidado liquidada saldado
    saldada cobrado cobrada aplicado aplicada
    acreditado acreditada depositado depositada procesado procesada ejecutado ejecutada desembolsado
    reembolsado reembolsada devuelto devuelta cancelado cancelada anulado anulada
    quitado quitada creditado creditada processado processada executado executada reembolso estornado estornada
    devolvido devolvida compensado compensada baixado baixada
    bezahlt gezahlt ausgezahlt ausbezahlt eingezahlt zuruckgezahlt zurueckgezahlt uberwiesen ueberwiesen gesendet
    versendet versandt beglichen verbucht gutgeschrieben transferiert angewiesen erstattet ruckerstattet rueckerstattet
    zuruckerstattet zurueckerstattet storniert annulliert abgebrochen ausgefuhrt ausgefuehrt
    gebucht abgewickelt verrechnet pd pdo pgdo pg pgo bez consignado consignada girado girada efetivado efetivada
    pague pagou paguei finiquitado domiciliado getilgt ausgeglichen
""")
"""Words for a payment that was made or reversed, without case, accents and punctuation."""
_PAID_OR_PAYMENT: Final = _words("pago paga pagos pagas")
"""Words that mean *paid* in Portuguese and *payment* in Spanish."""
_OF_MONEY: Final = _PAID_OR_PAYMENT | _words("""
    paid prepaid transferred wired pagado pagada pagados pagadas abonado abonada transferido transferida bezahlt gezahlt
    ausgezahlt uberwiesen ueberwiesen
""")
"""Words that only mean that money has left, for the name of a yes/no column."""
_DONE: Final = _words("""
    complete completed done finished fulfilled succeeded success successful
    completado completada completo completa hecho hecha terminado terminada finalizado finalizada realizado realizada
    efectuado efectuada exitoso exitosa
    concluido concluida feito feita efetuado efetuada sucesso
    erledigt erl abgeschlossen fertig durchgefuhrt durchgefuehrt getatigt getaetigt erfolgreich
""")
_OPEN: Final = _words("""
    pending open unpaid notpaid due overdue outstanding owed owing payable pay new draft ready scheduled planned waiting
    awaiting approved authorized authorised todo unsent late failed
    pendiente pendientes abierto abierta impago impaga impagado impagada vencido vencida adeudado adeudada pagar nuevo
    nueva borrador programado programada aprobado aprobada autorizado autorizada atrasado atrasada fallido fallida
    pendente pendentes aberto aberta devido devida novo nova rascunho agendado agendada aprovado aprovada aguardando
    falhou falhado
    offen offene ausstehend unbezahlt fallig faellig uberfallig ueberfaellig neu entwurf geplant genehmigt freigegeben
    bereit wartet wartend anstehend fehlgeschlagen gescheitert zahlen bezahlen zahlbar
""")
"""Words for a row that may be paid: nothing was paid yet, or the payment failed."""
_NOT: Final = _words(
    "not no non never isn wasn hasn aren don dont doesn won cannot be nicht nie wird werden nao nunca sin sem ser "
    "sera"  # *to be paid*
)
_BETWEEN: Final = _words(
    "t yet been do se le sido noch aun todavia ainda foi worden fue ja ya em el on am already bereits schon"
)
"""May come between a negation and the negated word."""
_STANDS: Final = _words("""
    listo lista cerrado cerrada conciliado conciliada entregado entregada rechazado rechazada emitido emitida
    tramitado tramitada remitido remitida efectivo pag liq canc pix pgto encerrado encerrada fechado fechada recebido
    recebida entregue pronto recusado recusada
""")
"""Words about a payment rather than a region; a person is asked whether the money has left."""
_YES: Final = _words("yes y true 1 x ok si s sim ja j wahr verdadero verdadeiro")
_NO: Final = _words("no n false 0 nein nao falso falsch na none null nil 000")
_TICKS: Final = re.compile("[✓✔☑✅√🗸☒]|:(?:white_check_mark|heavy_check_mark|ballot_box_with_check):")
_CROSSES: Final = re.compile("[-–—✗✘❌☐/.]+|:x:")
_OTHER: Final = LOST | _words("""
    active inactive activo activa inactivo inactiva ativo ativa inativo inativa aktiv inaktiv enabled disabled
    valid deliverable risky catchall acceptall verified unverified member employee contractor freelancer
""")
"""Words about accounts, people and addresses: a plain *status* column with one of them isn't about payments."""

_RESULTS: Final = "result outcome progress stage resultado etapa ergebnis fortschritt"
_STATUS: Final = f"(?:status|state|estado|estatus|situacao|situacion|zustand|stand|{_RESULTS.replace(' ', '|')})"
_PAYMENT: Final = (
    "payments?|pay|payouts?|transfers?|transactions?|txns?|wires?|disbursements?|settlements?|remittances?|pagos?|"
    "pagamentos?|pagto|pgto|transferencias?|transaccion|transacao|zahl|zahlungs?|auszahlungs?|uberweisungs?|"
    "ueberweisungs?|transaktions?"
)
_PAYABLE: Final = (
    f"(?:{_PAYMENT}|paid|invoices?|bills?|refunds?|reimbursements?|payroll|salary|provider|facturas?|faturas?|cobros?|"
    "nomina|salario|bezahl|bezahlungs?|rechnungs?|gehalts?|bearbeitungs|processing)"
)
_OF: Final = "(?:of|the|de|del|la|do|da|dos|das|der|des)*"
_ALREADY: Final = "(?:is|was|been|has|already|ya|se|esta|fue|ja|foi|bereits|schon|ist|wurde)*"
_AT: Final = "(?:on|at|date|am|el|em|dia|datum|yn|yesno|sino|simnao|janein|ornot|unpaid)?"
_DAY: Final = "(?:date|day|fecha|data|dia|datum|tag|dt|on|el|em|am|eingang)"
_IS_PLAIN: Final = re.compile(_STATUS)
_IS_STATUS: Final = re.compile(f"{_PAYABLE}?{_OF}{_STATUS}{_OF}{_PAYABLE}?")
_IS_DAY: Final = re.compile(f"(?:{_PAYMENT}|bezahl){_OF}{_DAY}|{_DAY}{_OF}(?:{_PAYMENT})(?:real|efe[ct]+iv[ao])?")
"""Names of columns with a payment date, which may be in the future: it counts only if other rows have none."""
_IS_FLAG: Final = re.compile(
    f"{_ALREADY}(?:{'|'.join(sorted(_DONE))}){_AT}|{_DAY}?{_OF}{_ALREADY}"
    f"(?:{'|'.join(sorted(_PAID | _PAID_OR_PAYMENT))}){_AT}|pd|"
    f"(?:{_PAYMENT}){_ALREADY}(?:{'|'.join(sorted(_PAID | _DONE))}|made|confirmed|erfolgt){_AT}"
)
"""*Paid*, *date paid*, *bezahlt am*, *payment made*."""
_IS_DUE: Final = re.compile(
    "(?:is|are|still|noch|to|be|zu|por|a|ainda|aun|todavia)*(?:unpaid|notpaid|pay|paynow|due|open|outstanding|pending|"
    "payable|owed|approved|include|pagar|pendientes?|pendentes?|impag[oa]|abiert[oa]|abert[oa]|apro[bv]ad[oa]|incluir|"
    "(?:be|aus)?zahlen|(?:ue?)berweisen|offene?|unbezahlt|ausstehend|fallig|genehmigt|freigegeben)"
)
_IS_SKIP: Final = re.compile(
    "(?:please|bitte|favor)?(?:skip|skipped|excluded?|omit|ignored?|hold|onhold|blocked|stop|stopped|donotpay|dontpay|"
    "nopay|no(?:se)?pagar|naopagar|nicht(?:be|aus)?zahlen|excluid[oa]|excluir|omitir|ignorar|retenid[oa]|bloquead[oa]|"
    "retid[oa]|gesperrt|zuruckgestellt)"
)
"""Names of yes/no columns that mark rows to pay, and rows not to pay."""
_SUM: Final = "(?:amount|sum|total|value|importe|monto|valor|suma?|soma|betrag|summe)"
_IS_REST: Final = re.compile(
    f"(?:balance|saldo|rest)?{_OF}{_SUM}?{_OF}(?:balance|saldo|rest|due|owed|outstanding|remaining|open|unpaid|pendiente|"
    f"pendente|restante|adeudad[oa]|devedor|offene?r?|ausstehende?r?){_OF}{_SUM}?"
)
_IS_PART: Final = re.compile(
    f"{_SUM}{_OF}(?:paid|pag[oa]d?[oa]?|(?:be|ge)zahlt)(?:todate)?|(?:paid|(?:be|ge)zahlter){_SUM}"
)
"""Names of columns with the amount left to pay, and with the amount paid."""
_ZERO: Final = re.compile(r"\D*0+(?:[.,]0+)?\D*")
_IS_PAYMENT: Final = re.compile(_PAYMENT)
_IS_REMARK: Final = re.compile(
    "(?:note|comment|remark|memo|description|purpose|nota|comentario|observacion|observacao|concept|descripcion|descricao|"
    "bemerkung|notiz|vermerk|(?:verwendungs)?zweck)[eo]?s?n?"
)
"""Names of columns for remarks, whose other cells may hold anything: one with only *paid* counts by itself."""
_SENT: Final = re.compile(
    rf"(?:already|ya|ja|bereits|schon)\W+(?:{'|'.join(sorted(_PAID | _PAID_OR_PAYMENT))})\b|"
    rf"(?:{'|'.join(sorted(_PAID))})\W+(?:via|by|with|per|in|cash|en|con|por|mit|bar|on|am|em)\b"
)
"""*Already sent to her*, *paid in cash*, at the beginning of a remark, but not *paid leave*."""
_BESIDE: Final = re.compile(r"[(\[*]([^()\[\]*]+)[)\]*]")
"""A remark beside a name: *Ana Lopez (PAID)*."""
_OF_OTHERS: Final = re.compile("account|member|customer|user|employ|konto|mitglied|cuenta|conta|miembro|membro")
_VAGUE: Final = _words(f"state estado stand zustand pago paga pagos pagas {_RESULTS}")
"""May be a region or a purpose: a person is asked about unknown words only if known ones occur too."""
_DATE: Final = re.compile(
    r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}\b.*|[0-9]{1,2}[-/.][0-9]{1,2}\.|"
    r"[0-9]{1,2}\W+(?:de )?\w{3,}\W+(?:de )?[0-9]{2,4}\b.*|"
    r"[^\W\d]{3,}\.? [0-9]{1,2},? [0-9]{4}\b.*|[0-9]{4}-[0-9]{2}-[0-9]{2}t.*"
)
_OURS: Final = _words("createdutc providerstatus providerid internalnote whyitfailed hash")
"""Columns of our own lists, in which only failed rows may be paid: *pending* is money on its way."""
_OUR_STATUS: Final = _words("status providerstatus")
_WAITS: Final = "waitingforsignup"
_SAID: Final = 60
_READ: Final = 300

Mark = tuple[Doubt, str]


@dataclass(frozen=True, slots=True)
class _Column:
    at: int
    name: str
    """Name in the file."""
    loose: str


def done_rows(
    header: Sequence[str], rows: Sequence[Row], requested: Mapping[str, Doubt], *, email: int, amount: int
) -> dict[int, Mark]:
    """Return the rows to leave out, by row number, with their own words.

    ``requested`` has the references of requests and rows that were or may be paid; ``email`` and ``amount`` are the
    indexes of these columns.
    """
    columns = [
        _Column(at, name, _loose(name[:_SAID]).rstrip("0123456789"))
        for at, name in enumerate(header)
        if at not in (email, amount)
    ]
    is_ours = any(column.loose in _OURS for column in columns)
    amounts = {row.number: row.cells[amount].strip() for row in rows}
    found: dict[int, Mark] = {}
    for column in columns:
        cells = [(row.number, row.cells[column.at].strip()[:_READ]) for row in rows]
        marks = _choices(column, cells, amounts)
        for number, mark in _marks(column, cells, is_ours=is_ours) if marks is None else marks:
            if number not in found or mark[0] is Doubt.DONE:
                found[number] = mark
    known = references_in(rows) if requested else []
    return found | {row: (requested[name], name) for row, name in known if name in requested}


def references_in(rows: Iterable[Row]) -> list[tuple[int, str]]:
    """Return row numbers and references of payouts, bulk payments or their rows that fill a whole cell."""
    return [
        (row.number, cell.strip().upper())
        for row in rows
        for cell in row.cells
        if "-" in cell and NAMED.fullmatch(cell.strip()) is not None
    ]


def _marks(column: _Column, cells: Sequence[tuple[int, str]], *, is_ours: bool) -> list[tuple[int, Mark]]:
    name = column.loose
    if is_ours and name == "type":
        return [(number, (Doubt.DONE, cell)) for number, cell in cells if _loose(cell) == "purchase"]
    if is_ours and name in _OUR_STATUS:
        return [(number, (Doubt.DONE, cell)) for number, cell in cells if _loose(cell) not in ("", "failed")]
    is_flag = (_IS_FLAG.fullmatch(name) or _TICKS.search(column.name)) is not None or (
        _says_paid(column) and all(_side(cell) is not None or _is_date(cell) for _, cell in cells)
    )
    if _IS_STATUS.fullmatch(name) is not None or (_IS_PAYMENT.fullmatch(name) is not None and not is_flag):
        return _asked(column, [(number, cell, _read_status(cell)) for number, cell in cells])
    if _IS_DAY.fullmatch(name) is not None:
        some = any(not cell for _, cell in cells)
        return [(number, (Doubt.DONE, _said(column, cell))) for number, cell in cells if some and _is_date(cell)]
    if is_flag:
        flags = [Doubt.DONE if _side(cell) or _is_date(cell) else _read_status(cell) for _, cell in cells]
        return _asked(column, [(*found, flag) for found, flag in zip(cells, flags, strict=True)], is_flag=True)
    return _bare_marks(column, cells)


def _choices(
    column: _Column, cells: Sequence[tuple[int, str]], amounts: Mapping[int, str]
) -> list[tuple[int, Mark]] | None:
    """Return rows that a yes/no column or a column of paid or remaining amounts excludes; None for other columns."""
    skips = _IS_SKIP.fullmatch(column.loose) is not None
    is_choice = skips or _IS_DUE.fullmatch(column.loose) is not None
    sides = {number: _side(cell) for number, cell in cells} if is_choice else {}
    if is_choice and None not in sides.values():
        is_chosen = any(sides.values())  # if any row has a tick, blank means no
        found = [(n, cell) for n, cell in cells if (sides[n] if skips else not sides[n] and (cell or is_chosen))]
    elif _IS_REST.fullmatch(column.loose) is not None:
        found = [(number, cell) for number, cell in cells if _ZERO.fullmatch(cell) is not None]
    elif _IS_PART.fullmatch(column.loose) is not None:
        found = [(number, cell) for number, cell in cells if cell and cell == amounts[number]]
    else:
        return None
    return [(number, (Doubt.UNCLEAR, _said(column, cell))) for number, cell in found]


def _bare_marks(column: _Column, cells: Sequence[tuple[int, str]]) -> list[tuple[int, Mark]]:
    """Find cells that only say *paid*, in a column of remarks or one whose cells are all statuses.

    A person is asked about longer remarks, and about *paid* in brackets in any column.
    """
    says = [(number, cell, _senses(cell)) for number, cell in cells if cell]
    is_remark, is_others = _IS_REMARK.fullmatch(column.loose) is not None, _OF_OTHERS.search(column.loose) is not None
    is_named = not is_others and re.search(_STATUS, column.loose) is not None
    is_read = is_remark or is_named or not (is_others or any(senses.is_more for *_, senses in says))
    asked = [
        (number, (Doubt.UNCLEAR, clean(cell)[:_SAID]))
        for number, cell, _ in says
        if (is_remark and (_SENT.match(_bare(cell)) or _IS_SKIP.fullmatch(_loose(cell)) or _TICKS.fullmatch(cell)))
        or any(inside.is_money and inside.is_alone for inside in map(_senses, _BESIDE.findall(cell)))
    ]
    return asked + [
        (number, (Doubt.DONE, clean(cell)[:_SAID]))
        for number, cell, senses in says
        if is_read and (senses.is_money or (is_named and senses.may_be_paid)) and senses.is_alone
    ]


def _asked(
    column: _Column, read: Sequence[tuple[int, str, Doubt | None]], *, is_flag: bool = False
) -> list[tuple[int, Mark]]:
    """Return the marks of one column, without unknown words if the column isn't about payments.

    With ``is_flag``, a cell such as *yes* means nothing without the column's name.
    """
    unknown = {_loose(cell) or cell for _, cell, doubt in read if doubt is Doubt.UNCLEAR}
    is_uniform = (
        _IS_PLAIN.fullmatch(column.loose) is not None
        and not is_flag
        and len(unknown) == 1 < len(read)
        and any(map(str.isdecimal, min(unknown)))
        and not min(unknown).isdecimal()
        and all(doubt is Doubt.UNCLEAR for *_, doubt in read)
    )
    others = _OTHER if _IS_PLAIN.fullmatch(column.loose) is not None else frozenset()
    is_vague = (
        column.loose in _VAGUE or _IS_PAYMENT.fullmatch(column.loose) is not None or not others.isdisjoint(unknown)
    )
    is_known = any(doubt is Doubt.DONE or _senses(cell).is_known for _, cell, doubt in read)
    asks = is_known or not (is_vague or (is_uniform and not is_flag))
    return [
        (number, (doubt, _said(column, cell) if is_flag else clean(cell)[:_SAID]))
        for number, cell, doubt in read
        if doubt is Doubt.DONE or (asks and doubt is Doubt.UNCLEAR and _loose(cell) not in others)
    ]


def _said(column: _Column, cell: str) -> str:
    return clean(f"{column.name.rstrip('?: ')}: {cell or 'empty'}")[:_SAID]


def _is_date(cell: str) -> bool:
    return _DATE.fullmatch(cell.casefold()) is not None


def _says_paid(column: _Column) -> bool:
    """Whether the column's name contains *paid* among other words: *March paid*, *Pagado (S/N)*."""
    words = set(re.findall(r"[^\W_]+", _bare(column.name)))
    return _NOT.isdisjoint(words) and not _OF_MONEY.isdisjoint(words) and _OF_OTHERS.search(column.loose) is None


def _side(cell: str) -> bool | None:
    """Return True for yes, False for no or an empty cell, None for anything else."""
    if _TICKS.search(cell) is not None or _loose(cell) in _YES:
        return True
    return False if not cell or _CROSSES.fullmatch(cell) is not None or _loose(cell) in _NO else None


def _read_status(cell: str) -> Doubt | None:
    """Return DONE, UNCLEAR if a person has to decide, or None if the row may be paid."""
    if _TICKS.search(cell) is not None or _loose(cell) == _WAITS:
        return Doubt.DONE
    if _side(cell) is False:
        return None
    senses = _senses(cell)
    if senses.is_unclear or (senses.is_paid and senses.is_open):
        return Doubt.UNCLEAR
    if senses.is_paid or (senses.may_be_paid and not senses.is_open):
        return Doubt.DONE
    return None if senses.is_open else Doubt.UNCLEAR


@dataclass(slots=True)
class _Senses:
    """Meanings of a cell's words. ``may_be_paid`` is for *pago* alone, ``is_unclear`` for *not approved*.

    ``is_money`` means *paid*, not just *done*; ``is_more`` means other words too, or no words.
    """

    is_paid: bool = False
    is_money: bool = False
    may_be_paid: bool = False
    is_open: bool = False
    is_unclear: bool = False
    is_more: bool = False

    @property
    def is_known(self) -> bool:
        return self.is_paid or self.is_open or self.is_unclear

    @property
    def is_alone(self) -> bool:
        return not (self.is_open or self.is_unclear or self.is_more)


@lru_cache(maxsize=4_096)
def _senses(cell: str) -> _Senses:
    words = re.findall(r"[^\W_]+", _bare(cell))
    found, negated = _Senses(is_more=all(word.isdecimal() for word in words)), False
    for word in words:
        if word in _NOT or word in _BETWEEN:
            negated = negated or word in _NOT
            continue
        is_paid, may_be_paid, is_open = word in _PAID | _DONE, word in _PAID_OR_PAYMENT, word in _OPEN
        found.is_paid |= is_paid and not negated
        found.is_money |= word in _PAID and not negated
        found.may_be_paid |= may_be_paid and not negated
        found.is_open |= is_open != negated and (is_open or is_paid or may_be_paid)
        found.is_unclear |= (is_open and negated) or word in _STANDS
        found.is_more |= not (is_paid or may_be_paid or is_open or word.isdecimal())
        negated = False
    found.may_be_paid &= not found.is_more
    return found


def _bare(text: str) -> str:
    """Fold case and remove accents."""
    apart = text.casefold() if text.isascii() else unicodedata.normalize("NFKD", text.casefold())
    return apart if apart.isascii() else "".join(letter for letter in apart if not unicodedata.combining(letter))


def _loose(text: str) -> str:
    return "".join(letter for letter in _bare(text) if letter.isalnum())
