from tests.playground.console.scene import APPROVALS, EVE, FINANCE, GENERAL, GUS, IDA, NORA, TOMAS, TRY_IT, Scene


async def test_people_carry_their_part_in_the_workspace(scene: Scene) -> None:
    people = {person["id"]: person for person in (await scene.state())["people"]}
    kinds = {user: people[user]["kind"] for user in (NORA, TOMAS, GUS, EVE, "U0BOT")}
    assert kinds == {NORA: "requester", TOMAS: "approver", GUS: "guest", EVE: "outsider", "U0BOT": "app"}
    assert people[EVE]["role"] == "From another workspace"
    assert people[TOMAS]["initials"] == "TB"
    assert [user for user in people if people[user]["actor"]] == [NORA, TOMAS, IDA, GUS, EVE]


async def test_deactivated_person_cannot_act(scene: Scene) -> None:
    scene.workspace.set_user(IDA, deleted=True)
    people = {person["id"]: person for person in (await scene.state())["people"]}
    assert not people[IDA]["actor"]
    assert (await scene.state(IDA))["me"]["id"] == NORA


async def test_people_see_their_channels_and_the_bot(scene: Scene) -> None:
    def names(picture: dict[str, list[dict[str, str]]]) -> list[str]:
        return [channel["name"] for channel in picture["channels"]]

    assert names(await scene.state(NORA)) == ["general", "finance", "Switchboard"]
    assert names(await scene.state(TOMAS)) == ["general", "finance", "approvals", "Switchboard"]
    assert names(await scene.state(GUS)) == ["general", "Switchboard"]


async def test_an_unknown_person_becomes_the_one_the_guide_names(scene: Scene) -> None:
    assert (await scene.state("U0NOBODY"))["me"]["id"] == NORA
    assert (await scene.state(""))["me"]["id"] == NORA


async def test_state_holds_only_visible_messages(scene: Scene) -> None:
    await scene.workspace.say(TOMAS, GENERAL, "for all of us")
    await scene.workspace.say(TOMAS, APPROVALS, "for two of us")
    await scene.workspace.slash(TOMAS, GENERAL, "/pay", "nothing")
    texts = {user: [m["text"] for m in (await scene.state(user))["messages"]] for user in (NORA, TOMAS, IDA)}
    whisper = "*verb*: `send` is one. You said: nothing"
    assert texts == {
        NORA: ["for all of us"],
        IDA: ["for all of us", "for two of us"],
        TOMAS: ["for all of us", whisper, "for two of us"],
    }
    [mine] = [m for m in (await scene.state(TOMAS))["messages"] if m["ephemeral"]]
    assert mine["bot"]


async def test_the_picture_holds_commands_guide_and_services(scene: Scene) -> None:
    picture = await scene.state()
    assert [command["command"] for command in picture["commands"]] == ["/pay", "/switchboard", "/invite"]
    empty = {"again": "", "sample_name": "", "sample": "", "book": "", "book_channel": ""}
    assert picture["guide"] == {"try_it": TRY_IT, "person": NORA, "channel": FINANCE, **empty}
    assert [service["name"] for service in picture["services"]] == ["payments", "slack"]


async def test_no_token_and_no_secret_reaches_the_page(scene: Scene) -> None:
    await scene.workspace.slash(NORA, FINANCE, "/pay", "send")
    await scene.commit()
    await scene.payments.advance()
    await scene.payments.delivered()
    async with scene.http.get(f"{scene.url}/console/state") as answer:
        text = await answer.text()
    for secret in ("xoxb-playground", "xapp-playground", "playground-signing-secret", "partner-secret", "very-secret"):
        assert secret not in text
