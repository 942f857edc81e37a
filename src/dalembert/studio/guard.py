"""Who may speak to the studio: this machine, this page, this token. Everything else is refused.

Host names are compared (a rebound DNS name is not ours), so are origins (another page is not ours),
on every route; the token is 256 random bits. Answers carry a policy that keeps the page to itself.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from . import limits

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

COOKIE = "dalembert_studio"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: App, port: int, token: str):
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return None
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        status = self.refusal(scope, headers)
        if status:
            return await _answer(send, status)
        if self.opening(scope):
            cookie = f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            more = [(b"set-cookie", cookie.encode()), (b"location", b"/")]
            return await _answer(send, 303, more)

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
            await send(message)

        return await self.app(scope, _bounded(receive), answered)

    def refusal(self, scope: Message, headers: dict[str, list[str]]) -> int:
        """Return the status of a refusal, 0 if there is none."""
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return 421
        if len(origins) > 1 or any(o not in self.origins for o in origins):
            return 403
        if scope["method"] not in ("GET", "POST"):
            return 405
        if scope["method"] == "POST":
            if not origins:
                return 403
            kinds = [k.split(";")[0].strip().lower() for k in headers.get("content-type", [])]
            if kinds != ["application/json"]:
                return 415
            sizes = headers.get("content-length", [])
            if any(not s.isdecimal() or int(s) > limits.BODY for s in sizes):
                return 413
        if not self.opening(scope) and not self.known(headers):
            return 401
        return 0

    def known(self, headers: dict[str, list[str]]) -> bool:
        """Return whether the token came with the request."""
        for text in headers.get("cookie", []):
            try:
                morsel = SimpleCookie(text).get(COOKIE)
            except CookieError:
                continue
            if morsel and hmac.compare_digest(morsel.value.encode(), self.token.encode()):
                return True
        return False

    def opening(self, scope: Message) -> bool:
        """Return whether this is the address that the studio printed, with the right token."""
        if scope["method"] != "GET" or scope["path"] != "/":
            return False
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        return len(given) == 1 and hmac.compare_digest(given[0].encode(), self.token.encode())


def _bounded(receive: Receive) -> Receive:
    """Return a receiver that ends requests that are too long or too slow."""
    seen = 0

    async def one() -> Message:
        nonlocal seen
        try:
            message = await asyncio.wait_for(receive(), limits.READING)
        except TimeoutError:
            return {"type": "http.disconnect"}
        seen += len(message.get("body", b""))
        return message if seen <= limits.BODY else {"type": "http.disconnect"}

    return one


async def _answer(send: Send, status: int, more: list[tuple[bytes, bytes]] | None = None) -> None:
    kind = (b"content-type", b"text/plain; charset=utf-8")
    await send({
        "type": "http.response.start", "status": status, "headers": [kind, *HEADERS, *(more or [])]
    })  # fmt: skip
    text = b"" if status == 303 else b"refused: open the address that dalembert studio printed\n"
    await send({"type": "http.response.body", "body": text})
