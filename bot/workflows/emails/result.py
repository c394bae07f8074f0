"""The result file of a run: the rows unchanged, in their order, with the answer for each address."""

import json
from collections.abc import Iterator, Mapping, Sequence

from bot.domain.emails.lists import Answer, Outcome, stored_answer
from bot.presentation.emails.lists import result_cells, result_header
from bot.tables import write_csv
from bot.workflows.emails.prepare import NOBODY, unpacked

_COLUMNS = 60
"""Of answers; a service that names each field anew would fill any sheet."""
_NO_ADDRESS = Answer(outcome=Outcome.NO_ADDRESS)
_NOT_ASKED = Answer(outcome=Outcome.NOT_ASKED)


def result_file(header: Sequence[str], blocks: Sequence[bytes], stored: Mapping[int, str]) -> bytes:
    """CSV of all rows. Slow: run it in a thread.

    Args:
        header: of the input.
        blocks: its rows, see ``prepare.packed``.
        stored: answers in their stored form, by the number of the address.
    """
    answers = {number: stored_answer(json.loads(said)) for number, said in stored.items()}
    names = list(dict.fromkeys(name for answer in answers.values() for name, _ in answer.pairs))[:_COLUMNS]
    cells = {number: result_cells(answer, names) for number, answer in answers.items()}
    cells[NOBODY] = result_cells(_NO_ADDRESS, names)
    return write_csv(result_header(header, names), _rows(blocks, cells, result_cells(_NOT_ASKED, names)))


def _rows(
    blocks: Sequence[bytes], cells: Mapping[int, tuple[str, ...]], otherwise: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    for block in blocks:
        for number, row in unpacked(block):
            yield (*row, *cells.get(number, otherwise))
