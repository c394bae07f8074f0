"""A process that stores callbacks as fast as it can and prints the id of each one that it was told is durable."""

import asyncio
import sys
from datetime import timedelta
from functools import partial
from itertools import count

from bot.domain.payments.instruction import CallbackKind
from storage import Store, Tx
from tests.storage.factories import KEY, NOW, instruction


async def _write(url: str) -> None:
    store = await Store.open(url, audit_key=KEY)
    asked = instruction()
    await store.write(lambda tx: tx.instructions.insert(asked, actor="U1"))
    numbers = count(1)

    def store_it(tx: Tx, callback: str) -> None:
        tx.tokens.put(token_hash=callback, instruction_id=asked.id, kind=CallbackKind.CONFIRMATION)
        tx.inbox.receive(
            new_id=lambda: callback, token_hash=callback, body_hash=callback, now=NOW, pause=timedelta(seconds=3)
        )

    async def receive() -> None:
        while True:
            callback = f"{asked.id}-{next(numbers)}"
            await store.write(partial(store_it, callback=callback))
            sys.stdout.write(f"{callback}\n")
            sys.stdout.flush()

    await asyncio.gather(*(receive() for _ in range(8)))


if __name__ == "__main__":
    asyncio.run(_write(sys.argv[1]))
