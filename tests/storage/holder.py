"""A process that opens a store and keeps it until its standard input ends."""

import asyncio
import sys

from storage import Store


async def _hold(url: str) -> None:
    store = await Store.open(url, audit_key=b"k" * 32)
    sys.stdout.write("open\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await store.close()


if __name__ == "__main__":
    asyncio.run(_hold(sys.argv[1]))
