"""Callbacks of the payments service, and what became of them."""

from typing import Any

import aiohttp

from bot.domain.payments.instruction import CallbackKind
from bot.domain.references import callback_token, derived_key
from storage.rows import InboxState
from tests.support.rig import SECRET_KEY, Rig
from tests.support.rows import callbacks_of
from tests.workflows.looking import newest, read


def token(instruction_id: str, kind: CallbackKind = CallbackKind.CONFIRMATION) -> str:
    return callback_token(key=derived_key(SECRET_KEY, "callbacks"), instruction_id=instruction_id, kind=kind)


async def call(rig: Rig, secret: str, body: Any = None, *, method: str = "POST", **more: Any) -> tuple[int, bytes]:
    url = f"{rig.switchboard.url}/callbacks/payments/{secret}"
    async with aiohttp.ClientSession() as session, session.request(method, url, json=body or {}, **more) as answer:
        return answer.status, await answer.read()


async def inbox(rig: Rig) -> list[InboxState]:
    found = await newest(rig)
    return [row.state for row in await read(rig, lambda tx: callbacks_of(tx, found.id))]
