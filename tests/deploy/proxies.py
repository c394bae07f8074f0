"""The shipped configurations of nginx and Caddy, started on loopback in front of a port."""

import asyncio
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from bot.playground.process import free_port
from tests.deploy.machine import found
from tests.support.certificates import self_signed
from tests.support.waiting import until

SHIPPED = Path(__file__).parents[2] / "docs" / "deploy"
HERE = "127.0.0.1"
_END_SECONDS = 10.0


def fitted(name: str, changes: Mapping[str, str]) -> str:
    """A shipped file with the addresses of a test; each of them stands in one place."""
    text = (SHIPPED / name).read_text(encoding="utf-8")
    for shipped, ours in changes.items():
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, ours)
    return text


class Front(ABC):
    """A running proxy: its folder has configuration and logs, ``upstream`` is Switchboard's host and port."""

    program: ClassVar[str]
    scheme: ClassVar[str]

    def __init__(self, folder: Path, *, upstream: str) -> None:
        self.folder = folder
        self.upstream = upstream
        self.port = free_port()
        self.trust: ssl.SSLContext | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"{self.scheme}://{HERE}:{self.port}"

    @property
    def written(self) -> str:
        return "".join(path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("*.log")))

    @abstractmethod
    def prepare(self) -> tuple[Sequence[str], Mapping[str, str]]:
        """Write its configuration; arguments and environment of the program."""

    async def __aenter__(self) -> Self:
        arguments, environment = self.prepare()
        program = found(self.program)
        assert program is not None
        with (self.folder / "output.log").open("wb") as output:
            self._process = await asyncio.create_subprocess_exec(
                program, *arguments, env=environment, cwd=self.folder, stdout=output, stderr=output
            )
        await until(self._listens)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.terminate()
        async with asyncio.timeout(_END_SECONDS):
            await self._process.wait()

    async def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.returncode is None, self.written
        try:
            _, writer = await asyncio.open_connection(HERE, self.port)
        except ConnectionError:
            return False
        writer.close()
        return True


class Nginx(Front):
    """With the certificate of a test."""

    program = "nginx"
    scheme = "https"

    def prepare(self) -> tuple[Sequence[str], Mapping[str, str]]:
        certificate, key = self_signed(self.folder)
        self.trust = ssl.create_default_context(cafile=str(certificate))
        shipped = fitted(
            "nginx.conf",
            {
                "server 127.0.0.1:3000;": f"server {self.upstream};",
                "listen 443 ssl;\n    listen [::]:443 ssl;": f"listen {HERE}:{self.port} ssl;",
                "/etc/letsencrypt/live/switchboard.example.com/fullchain.pem": str(certificate),
                "/etc/letsencrypt/live/switchboard.example.com/privkey.pem": str(key),
                "/var/log/nginx/switchboard.log": str(self.folder / "access.log"),
            },
        )
        (self.folder / "switchboard.conf").write_text(shipped, encoding="utf-8")
        kept = "\n".join(
            f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        # As talkative as it gets without being compiled for debugging: nothing it writes may show an address.
        around = f"""
            user root;
            daemon off;
            pid {self.folder}/nginx.pid;
            error_log {self.folder}/error.log info;
            events {{}}
            http {{
                access_log {self.folder}/others.log;
                {kept}
                include {self.folder}/switchboard.conf;
            }}
        """
        (self.folder / "around.conf").write_text(around, encoding="utf-8")
        return ("-e", str(self.folder / "error.log"), "-c", str(self.folder / "around.conf")), {}


class Caddy(Front):
    """Without TLS: it would ask an authority for a certificate, or make one and trust it on the whole machine."""

    program = "caddy"
    scheme = "http"

    def prepare(self) -> tuple[Sequence[str], Mapping[str, str]]:
        # A site's host chooses no interface: the listener would be on all of them.
        ours = fitted("Caddyfile", {"\tservers {\n": f"\tadmin off\n\tdefault_bind {HERE}\n\tservers {{\n"})
        (self.folder / "Caddyfile").write_text(ours, encoding="utf-8")
        environment = {"HOME": str(self.folder), "PUBLIC_URL": self.url, "UPSTREAM": self.upstream}
        return ("run", "--config", str(self.folder / "Caddyfile"), "--adapter", "caddyfile"), environment
