"""What is let in from the network, and what browsers are told never to do with what comes back.

Another site's page in the same browser can send requests to this machine. It cannot fake the headers that tell where it
is from (`Origin`, `Sec-Fetch-Site`), nor the name by which it reached us (`Host`, where a foreign name leads to this
machine). Who listens to others wants a token besides: a secret of the first address, kept in a cookie from then on.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "ggp-token"
_SAFE = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class EntryRules:
    """Who may come in."""

    hosts: frozenset[str]
    """The names by which this server may be called, beside addresses as numbers where there is a token."""
    token: str = ""
    """What everybody has to know; empty where only this machine is listened to."""
    rate: float = 60
    """Requests a second that one address may send on the whole."""
    burst: int = 400
    """Requests that it may send at once."""


class Entry:
    """Stands before the application and refuses what is none of its business."""

    def __init__(self, app: ASGIApp, rules: EntryRules) -> None:
        self._app, self._rules = app, rules
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        code, why = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if code:
                await send({"type": "websocket.close", "code": 1008, "reason": why})
            else:
                await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        app: ASGIApp = PlainTextResponse(f"{why}\n", code) if code else self._app
        if code == 401 and self._is_right(parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]):
            redirect = RedirectResponse("/", 303)
            redirect.set_cookie(COOKIE, self._rules.token, httponly=True, samesite="strict", max_age=30 * 86400)
            app = redirect
        await app(scope, receive, sealed)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str]:
        """Why a request is refused: a status and a sentence; 0 if it is not."""
        if not self._knows(host := headers.get("host", "")):
            return 421, "this server does not go by that name"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and scope["path"].startswith("/api"):
            return 403, "only this server's own page may ask that"
        is_changing = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origin = headers.get("origin")
        if is_changing and origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, "only this server's own page may ask that"
        if not self._has_room(scope["client"][0] if scope.get("client") else ""):
            return 429, "too many requests: wait a moment"
        if self._rules.token and not self._is_right(_cookie(headers)) and not self._is_right(_bearer(headers)):
            return 401, "a token is needed: open the address that `ggp web` printed"
        return 0, ""

    def _knows(self, host: str) -> bool:
        name = _host_name(host)
        if name in self._rules.hosts:
            return True
        return bool(self._rules.token) and _is_number(name)

    def _is_right(self, token: str) -> bool:
        return bool(token) and hmac.compare_digest(token.encode(), self._rules.token.encode())

    def _has_room(self, address: str) -> bool:
        """Whether an address may send another request: a bucket of tokens for each."""
        now = time.monotonic()
        left, since = self._buckets.pop(address, (float(self._rules.burst), now))
        left = min(self._rules.burst, left + (now - since) * self._rules.rate)
        self._buckets[address] = (max(0.0, left - 1), now)
        while len(self._buckets) > 1000:
            self._buckets.popitem(last=False)
        return left >= 1


def local_names(extra: Sequence[str] = ()) -> frozenset[str]:
    """The names of this machine for itself, and others."""
    return frozenset({"localhost", "127.0.0.1", "::1", *(name.lower() for name in extra)})


def _host_name(host: str) -> str:
    """The name in a `Host` header, without the port; empty if it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _bearer(headers: Headers) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
