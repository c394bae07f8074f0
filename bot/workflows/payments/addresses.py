"""Callback addresses: where the payments service reports what happened."""

from bot.domain.payments.instruction import CallbackKind, Instruction
from bot.domain.references import callback_token
from bot.workflows.context import Context


def callback_address(ctx: Context, instruction: Instruction, kind: CallbackKind) -> str:
    """Callback address for one kind of report about one instruction; a secret."""
    token = callback_token(key=ctx.token_key, instruction_id=instruction.id, kind=kind)
    return f"{callback_folder(ctx)}/{token}"


def callback_folder(ctx: Context) -> str:
    """Prefix of the payments service's callback addresses, before the token."""
    return f"{ctx.callback_base}/callbacks/payments"
