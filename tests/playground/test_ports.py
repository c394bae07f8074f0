"""Ports for processes that are about to start."""

import socket
from contextlib import ExitStack

from bot.playground.process import free_port


def test_a_port_can_be_listened_on_and_is_given_to_no_connection_meanwhile() -> None:
    with ExitStack() as stack:
        for _ in range(50):
            port = free_port()
            assert 20_000 <= port < 32_768  # what the system chooses by itself lies above
            listening = stack.enter_context(socket.create_server(("127.0.0.1", port)))
            assert listening.getsockname()[1] == port
