"""compose.yaml: a valid file that gives Switchboard what it needs, and shows the world nothing but the proxy."""

import re
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from compose_spec import PyOptions
from dotenv import dotenv_values

from bot.cli.checks import obstacles
from bot.settings import Settings, load_policy
from storage.engine import PostgresServer, parse_address
from tests.deploy.containerfile import CONTAINERFILE, ROOT, VOLUME, version
from tests.deploy.proxies import SHIPPED
from tests.deploy.stopping import LONGEST_STOP, seconds
from tests.support.rig import GivenSettings

TEXT = (SHIPPED / "compose.yaml").read_text(encoding="utf-8")
SERVICES = {"database", "migrate", "switchboard", "proxy"}
OURS = {"migrate", "switchboard"}
TYPED = {
    "POSTGRES_PASSWORD": "a1b2c3d4",
    "PUBLIC_URL": "https://switchboard.example.com",
    "SLACK_BOT_TOKEN": "xoxb-1",
    "SLACK_SIGNING_SECRET": "of Slack",
    "SECRET_KEY": "Vb0jX2uJ8cQq1nH5sT7yRzL4mW9eKpAdGfUo3iYx6ZtB",
    "ENVIRONMENT": "production",
}
"""What an operator writes into ``.env``, a copy of ``.env.example``."""


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """As Compose reads them; it fails for a file that is none."""
    options = PyOptions(apply_merge=True)
    file = options.from_yaml(TEXT)
    file.validate()
    found: dict[str, Any] = file.to_dict()["services"]
    return found


def test_it_describes_the_four_of_them_from_known_images(services: dict[str, Any]) -> None:
    assert services.keys() == SERVICES
    for name in OURS:
        assert services[name]["image"] == f"switchboard:{version()}"
        build = services[name]["build"]
        assert (SHIPPED / build["context"] / build["dockerfile"]).resolve() == CONTAINERFILE
        assert {variable.lower() for variable in services[name]["environment"]} <= set(Settings.model_fields)
    for name in SERVICES - OURS:
        assert re.fullmatch(r"[a-z]+:\d+(\.\d+)+", services[name]["image"])


def test_production_starts_with_required_settings(services: dict[str, Any]) -> None:
    settings = _settings(services["switchboard"])
    assert obstacles(settings, load_policy(ROOT / "policy.example.toml")) == []
    database = parse_address(settings.database_url)
    assert isinstance(database, PostgresServer)
    assert settings.anchors_file is not None
    assert settings.anchors_file.parent == VOLUME
    assert (settings.host, settings.public_url) == ("0.0.0.0", TYPED["PUBLIC_URL"])  # noqa: S104 - its network's own
    assert services["proxy"]["environment"]["UPSTREAM"] == f"switchboard:{settings.port}"


def test_only_the_proxy_is_reached_and_only_its_network_is_trusted(services: dict[str, Any]) -> None:
    assert {name for name in SERVICES if "ports" in services[name]} == {"proxy"}
    assert services["database"]["networks"] == ["inside"]
    assert re.search(r"^  inside:\n    internal: true", TEXT, re.MULTILINE)
    assert "network_mode" not in TEXT
    (subnet,) = re.findall(r"subnet: (\S+)", TEXT)
    assert _settings(services["switchboard"]).trusted_proxies == (ip_network(subnet),)
    assert {name for name in SERVICES if "front" in services[name]["networks"]} == {"switchboard", "proxy"}


def test_no_secret_is_in_the_file(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for variable, value in service["environment"].items():
            if re.search("PASSWORD|SECRET|TOKEN|KEY", variable):
                assert re.fullmatch(r"\$\{\w+:\?.*\}", value), (name, variable)
    assert re.findall(r"postgresql://\w+:(.*)@", TEXT) == ["${POSTGRES_PASSWORD:?put it into .env}"]
    assert all(services[name]["env_file"] == ".env" for name in OURS)


def test_each_waits_for_the_one_before_to_be_healthy(services: dict[str, Any]) -> None:
    waits = {
        name: {other: how["condition"] for other, how in service.get("depends_on", {}).items()}
        for name, service in services.items()
    }
    assert waits == {
        "database": {},
        "migrate": {"database": "service_healthy"},
        "switchboard": {"database": "service_healthy", "migrate": "service_completed_successfully"},
        "proxy": {"switchboard": "service_healthy"},
    }
    assert services["migrate"]["command"] == ["switchboard", "migrate"]
    assert [services[name]["healthcheck"]["test"][0] for name in ("database", "proxy")] == ["CMD", "CMD"]
    assert "healthcheck" not in services["switchboard"]  # its image has one


def test_all_but_the_release_step_come_back_and_have_time_to_stop(services: dict[str, Any]) -> None:
    restarts = {name: service["restart"] for name, service in services.items()}
    assert restarts == {**dict.fromkeys(SERVICES, "unless-stopped"), "migrate": "no"}
    assert seconds(services["switchboard"]["stop_grace_period"]) > 1.5 * LONGEST_STOP


def test_nothing_is_writable_but_volumes(services: dict[str, Any]) -> None:
    for name in SERVICES - {"database"}:
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["security_opt"] == ["no-new-privileges:true"]
    for name in OURS:
        assert services[name]["volumes"] == [f"anchors:{VOLUME}", "./etc:/etc/switchboard:ro"]
    shown = [Path(one.partition(":")[0]) for one in services["proxy"]["volumes"] if one.startswith("./")]
    assert all((SHIPPED / one).is_file() for one in shown)


def _settings(service: dict[str, Any]) -> Settings:
    """The settings that a service gets: from its env file, and over them from its ``environment``."""
    typed = {**dotenv_values(ROOT / ".env.example"), **TYPED}
    given = {name: re.sub(r"\$\{(\w+):\?[^}]*\}", _typed, value) for name, value in service["environment"].items()}
    return GivenSettings(**{name.lower(): value for name, value in {**typed, **given}.items() if value})  # type: ignore[arg-type]


def _typed(variable: re.Match[str]) -> str:
    return TYPED[variable[1]]
