"""Callback addresses: where the payments service reports what happened."""

from bot.domain.payments.instruction import CallbackKind, Instruction
from bot.domain.references import callback_token
from bot.workflows.context import Context


def callback_address(ctx: Context, instruction: Instruction, kind: CallbackKind) -> str:
    """Where the service reports one thing about one instruction; a secret."""
    token = callback_token(key=ctx.token_key, instruction_id=instruction.id, kind=kind)
    return f"{callback_folder(ctx)}/{token}"


def callback_folder(ctx: Context) -> str:
    """What comes before the token in the addresses that the payments service is given."""
    return f"{ctx.callback_base}/callbacks/payments"
