"""Who and what lives in the playground, and ports for processes that are about to start."""

import socket
from contextlib import ExitStack

from bot.cli.manifest import bot_scopes
from bot.playground.cast import SAMPLE, furnish, open_accounts
from bot.playground.process import free_port
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.workspace import Workspace
from handlers.registry import COMMANDS


def test_page_completes_declared_commands() -> None:
    workspace = Workspace(scopes=bot_scopes())
    furnish(workspace)
    known = {one.command: (one.hint, one.description) for one in workspace.commands.values()}
    assert known == {f"/{one.name}": (one.hint, one.summary) for one in COMMANDS}


def test_everybody_in_the_sample_can_be_paid() -> None:
    payments = PaymentsSimulator()
    open_accounts(payments)
    addresses = [line.partition(",")[0] for line in SAMPLE.splitlines()[1:]]
    assert {payments.accounts[address].status for address in addresses} == {"active"}


def test_free_port_stays_free_for_listening() -> None:
    with ExitStack() as stack:
        for _ in range(10):
            port = free_port()
            assert 20_000 <= port < 32_768  # what the system chooses by itself lies above
            listening = stack.enter_context(socket.create_server(("127.0.0.1", port)))
            assert listening.getsockname()[1] == port
