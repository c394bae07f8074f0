"""Files stream through the bot without staying in memory. The full gigabyte is measured by ``make bench``."""

from pathlib import Path

from tests.process.streams import KEY, MEGA, bot_between, let_pass


async def test_what_passes_through_the_bot_does_not_stay_in_its_memory(tmp_path: Path) -> None:
    async with bot_between(tmp_path) as (scene, service):
        passed = await let_pass(scene, service, tmp_path, 200 * MEGA)
        assert passed.growth <= 64 * MEGA, passed
        assert service.keys == {f"Bearer {KEY}"}
        assert service.result_keys == {""}
