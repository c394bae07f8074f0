"""Permissions that Slack denies at run time, reported in the alerts channel for the operator to fix."""

from hashlib import sha256

from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit


async def tell_denials(ctx: Context) -> int:
    """Report each reason once a day, across all processes; how many were new to this one."""
    reasons = ctx.people.denials()
    if not reasons:
        return 0
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        for reason in reasons:
            key = f"denied:{sha256(str(reason).encode()).hexdigest()[:16]}:{now:%Y-%m-%d}"
            tell_everybody(uow, key=key, facts={"topic": "denied", "reason": reason.stored()})

    await ctx.write(work, name="tell_denials", wakes=False)
    return len(reasons)
