import pytest

from tests.playground.console.scene import FINANCE, NORA, Scene

SAY = {"as": NORA, "channel": FINANCE, "text": "hello"}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1", ""])
@pytest.mark.parametrize("path", ["/", "/console/state", "/console/stream", "/console/page/index.html"])
async def test_foreign_host_name_is_refused(scene: Scene, host: str, path: str) -> None:
    async with scene.http.get(scene.url + path, headers={"Host": host}) as answer:
        assert answer.status in (400, 403)
        assert "Nora" not in await answer.text()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
async def test_loopback_names_are_served(scene: Scene, host: str) -> None:
    port = scene.url.rpartition(":")[2]
    async with scene.http.get(f"{scene.url}/console/state", headers={"Host": f"{host}:{port}"}) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "headers",
    [
        *({"Origin": origin} for origin in ("https://evil.example", "null", "http://127.0.0.1:1")),
        *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site")),
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
async def test_another_origin_cannot_act(scene: Scene, headers: dict[str, str]) -> None:
    async with scene.http.post(f"{scene.url}/console/say", json=SAY, headers=headers) as answer:
        assert answer.status == 403
    assert scene.workspace.messages(FINANCE) == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_cross_site_form_posts_are_refused(scene: Scene, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    body = '{"as": "U0NORA", "channel": "C0FINANCE", "text": "x"}'
    async with scene.http.post(f"{scene.url}/console/say", data=body, headers=headers) as answer:
        assert answer.status == 403
    assert scene.workspace.messages(FINANCE) == []


async def test_page_may_act(scene: Scene) -> None:
    headers = {"Origin": scene.url, "Sec-Fetch-Site": "same-origin"}
    async with scene.http.post(f"{scene.url}/console/say", json=SAY, headers=headers) as answer:
        assert answer.status == 200
    assert [message.text for message in scene.workspace.messages(FINANCE)] == ["hello"]


async def test_external_link_opens_the_page_without_data(scene: Scene) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    async with scene.http.get(f"{scene.url}/", headers={**foreign, "Sec-Fetch-Mode": "navigate"}) as answer:
        assert answer.status == 200
    async with scene.http.get(f"{scene.url}/console/state", headers={**foreign, "Sec-Fetch-Mode": "no-cors"}) as answer:
        assert answer.status == 403


async def test_every_answer_forbids_foreign_scripts_and_frames(scene: Scene) -> None:
    for path in ("/", "/console/state", "/console/page/icon.svg"):
        async with scene.http.get(scene.url + path) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "Access-Control-Allow-Origin" not in answer.headers
