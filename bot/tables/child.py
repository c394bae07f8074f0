"""The process that reads one table: the file is its standard input, the table its standard output.

It limits its own resources before it reads a byte. It writes lines of JSON: the
table without its rows, then some rows per line, then the number of rows; or one line with the problem.
"""

import json
import resource
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

from bot.domain.files.tables import Limits, Table, TableProblem
from bot.tables.reading import read_table

ROWS_A_LINE = 200
"""So few that parsing one line does not block the event loop for long."""


def main(arguments: list[str]) -> int:
    """Read the table; 0 when a table or a problem was written completely."""
    asked = json.loads(arguments[0])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (asked["cpu"], asked["cpu"]))
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
    file: BinaryIO = sys.stdin.buffer
    try:
        table = read_table(file, name=asked["name"], limits=Limits(**asked["limits"]))
    except TableProblem as problem:
        _write(problem_as_json(problem))
        return 0
    _hand_over(table)
    return 0


def _hand_over(table: Table) -> None:
    hidden = table.hidden
    _write(
        {
            "header": table.header,
            "encoding": table.encoding,
            "delimiter": table.delimiter,
            "sheet": table.sheet,
            "hidden": [hidden.rows, hidden.columns, sorted(hidden.formulas.items()), sorted(hidden.disguised.items())],
        }
    )
    for start in range(0, len(table.rows), ROWS_A_LINE):
        _write([[row.number, row.cells] for row in table.rows[start : start + ROWS_A_LINE]])
    _write(len(table.rows))
    sys.stdout.flush()


def problem_as_json(problem: TableProblem) -> dict[str, Any]:
    """A problem as JSON, from which it can be recreated."""
    return {
        "flaw": problem.flaw.value,
        "rows": problem.rows,
        "names": problem.names,
        "allowed": problem.allowed,
        "counts": sorted(problem.counts.items()),
        "more": problem.more,
    }


def asked_as_json(*, name: str, limits: Limits, cpu: int, memory: int) -> str:
    """The argument of this process."""
    return json.dumps({"name": name, "limits": asdict(limits), "cpu": cpu, "memory": memory})


def _write(line: Any) -> None:
    sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
