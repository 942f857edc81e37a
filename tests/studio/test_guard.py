"""Only this machine, this page and this token reach the studio."""

import asyncio
import itertools
import json

import pytest

from dalembert.studio import limits
from dalembert.studio.guard import COOKIE, Guard

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

PORT, TOKEN = 8123, "t" * 43
HOSTS = [
    f"127.0.0.1:{PORT}", f"localhost:{PORT}", "127.0.0.1", "localhost", "localhost:80",
    f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}", f"[::1]:{PORT}", f"0.0.0.0:{PORT}",
    f"127.1:{PORT}", f"localhost.:{PORT}", "",
]  # fmt: skip
ORIGINS = [
    None, f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}", "null", "http://evil.example",
    f"https://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}.evil.example", "http://127.0.0.1",
]  # fmt: skip
GOOD_HOSTS, GOOD_ORIGINS = set(HOSTS[:2]), set(ORIGINS[1:3])


@pytest.fixture(scope="module")
def app():
    from dalembert.studio.server import application

    return application(PORT, TOKEN)


def routes(app):
    """Return method and path of every route in the table."""
    found = []
    for route in app.app.routes:
        path = route.path.replace("{name:path}", "studio.js").replace("{name}", "describe")
        found += [(method, path) for method in sorted(route.methods - {"HEAD"})]
    return found


def ask(app, method, path, host, origin, token, body=b"{}", kind="application/json"):
    headers = {"host": host} | ({"origin": origin} if origin else {})
    if token:
        headers["cookie"] = f"{COOKIE}={token}"
    if method == "POST":
        headers["content-type"] = kind

    async def go():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://x:{PORT}") as client:
            return await client.request(
                method, path, headers=headers, content=body if method == "POST" else None
            )

    return asyncio.run(go())


class Quiet:
    """An application that lets everything through, to see what the guard alone does."""

    def __init__(self, routes):
        self.routes = routes

    async def __call__(self, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"in"})


def test_only_the_right_cell_of_the_matrix_passes(app):
    guard = Guard(Quiet(app.app.routes), PORT, TOKEN)
    cells = passed = 0
    for method, path in routes(app):
        for host, origin, token in itertools.product(HOSTS, ORIGINS, (TOKEN, "", "x" * 43)):
            right = host in GOOD_HOSTS and token == TOKEN
            right &= origin in GOOD_ORIGINS or (origin is None and method == "GET")
            status = ask(guard, method, path, host, origin, token).status_code
            assert (status == 200) is right, (method, path, host, origin, token, status)
            cells, passed = cells + 1, passed + right
    assert cells >= 5 * 12 * 8 * 3 and 0 < passed < cells / 10


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"])
def test_other_methods_are_refused(app, method):
    assert ask(app, method, "/", HOSTS[0], None, TOKEN).status_code == 405


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_cannot_post(app, kind):
    found = ask(app, "POST", "/api/describe", HOSTS[0], ORIGINS[1], TOKEN, kind=kind)
    assert found.status_code == 415


def test_a_long_body_is_refused(app):
    body = b" " * (limits.BODY + 1)
    found = ask(app, "POST", "/api/describe", HOSTS[0], ORIGINS[1], TOKEN, body)
    assert found.status_code == 413


def test_the_address_with_the_token_sets_a_strict_cookie(app):
    found = ask(app, "GET", f"/?token={TOKEN}", HOSTS[0], None, "")
    assert found.status_code == 303 and found.headers["location"] == "/"
    assert "HttpOnly" in found.headers["set-cookie"]
    assert "SameSite=Strict" in found.headers["set-cookie"]
    assert ask(app, "GET", "/?token=wrong", HOSTS[0], None, "").status_code == 401


def test_answers_carry_a_strict_policy(app):
    found = ask(app, "GET", "/", HOSTS[0], None, TOKEN)
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert found.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("path", [
    "/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py",
    "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/....//server.py",
    "/static/studio.js/../../server.py", "/static/fonts/../../server.py", "/static/C:/x.js",
    "/static/stamp", "/static/%00.js", "/static/..%5cserver.py",
])  # fmt: skip
def test_no_path_leads_out_of_the_page(app, path):
    found = ask(app, "GET", path, HOSTS[0], None, TOKEN)
    assert found.status_code in (400, 404) and b"import" not in found.content


def test_a_web_socket_is_closed():
    sent = []

    async def go():
        guard = Guard(Quiet([]), PORT, TOKEN)

        async def send(message):
            sent.append(message)

        await guard({"type": "websocket", "path": "/", "headers": []}, None, send)

    asyncio.run(go())
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_refusals_say_nothing_of_what_is_there(app):
    found = ask(app, "GET", "/api/start", HOSTS[0], None, "")
    assert found.status_code == 401 and TOKEN not in found.text
    assert json.dumps(dict(found.headers)).count("uvicorn") == 0
