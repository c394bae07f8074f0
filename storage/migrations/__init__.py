"""Migrations: the steps that create and change the tables, in order."""

HEAD = "0020"
"""The version this program needs; a test holds it to the newest step in ``versions/``."""
PROGRAM = "switchboard"
PEERS = "peers"


def session_name(*part: str) -> str:
    """Name of this program's sessions on PostgreSQL; shows a process that migrates which versions run."""
    return " ".join((PROGRAM, *part, HEAD))
