"""Does a player speak HTTP as game servers need it?"""

from __future__ import annotations

from urllib.parse import quote

from ggp.match.asker import GAME, Asker, Check, Outcome, one_line, status_text
from ggp.match.exchange import exchange, post
from ggp.match.faults import printable
from ggp.match.telling import PlayerInfo

_CORS = ("access-control-allow-origin", "access-control-allow-headers")
_FORM = ("Content-Type: application/x-www-form-urlencoded; charset=UTF-8",)
_SMALL = ("Content-type: text/acl", "content-length: 8")


class WireChecks:
    """Everything that can be tried without a match."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def info(self) -> Outcome:
        """Whether the player answers at all."""
        got = self._asker.send("( INFO )")
        return got.status == 200, f"{status_text(got)}: {printable(got.text) or 'an empty body'}"

    def available(self) -> Outcome:
        """Whether it can be asked to play."""
        info = PlayerInfo.read(self._asker.send("( INFO )").text)
        if not info.name:
            return info.is_available, f"{info.status or 'no status'}, in the old form without a name"
        return info.is_available, f"{info.name} is {info.status or 'silent about its status'}"

    def essential(self) -> list[Check]:
        """What servers need."""
        return [
            ("tells the length of its reply", self._length),
            ("closes the connection after its reply", self._closing),
            ("answers HTTP/1.0", lambda: self._same(post("( INFO )", version="1.0", host=False))),
            ("answers without a Host", lambda: self._same(post("( INFO )", host=False))),
            ("does not mind the content type", lambda: self._same(post("( INFO )", headers=_FORM))),
            ("does not mind small letters in headers", lambda: self._same(post("( INFO )", headers=_SMALL))),
            ("takes commands in any case", lambda: self._same(post("(info)"))),
            ("takes requests in pieces", lambda: self._same(post("( INFO )"), pieces=40)),
            ("answers a preflight", self._preflight),
            ("allows pages to read its replies", self._allows),
            ("answers `busy` to a match it does not know", self._unknown),
            ("survives what is no message", self._garbage),
        ]

    def _length(self) -> Outcome:
        got = self._asker.send("( INFO )")
        return (
            got.length_is_right,
            f"Content-Length {got.headers.get('content-length', 'missing')}, {len(got.body)} bytes",
        )

    def _closing(self) -> Outcome:
        got = self._asker.send("( INFO )")
        return got.closed, "closed" if got.closed else "left open: a server that reads to the end would time out"

    def _same(self, data: bytes, pieces: int = 1) -> Outcome:
        got = exchange(self._asker.address, data, self._asker.settings.quick, pieces)
        return got.status == 200 and bool(got.text), f"{status_text(got)}: {printable(got.text, 60)}"

    def _preflight(self) -> Outcome:
        lines = [
            "OPTIONS / HTTP/1.1",
            "Host: localhost",
            "Origin: http://localhost",
            "Access-Control-Request-Method: POST",
        ]
        lines.append("Access-Control-Request-Headers: sender,receiver,content-type")
        got = exchange(self._asker.address, "\r\n".join([*lines, "", ""]).encode(), self._asker.settings.quick)
        allowed = got.headers.get("access-control-allow-headers", "").lower()
        missing = [name for name in _CORS if name not in got.headers]
        missing += [name for name in ("sender", "receiver") if "*" not in allowed and name not in allowed]
        good = got.status in (200, 204) and not missing
        return good, status_text(got) + (f", without {', '.join(missing)}" if missing else "")

    def _allows(self) -> Outcome:
        origin = self._asker.send("( INFO )").headers.get("access-control-allow-origin")
        return (
            origin is not None,
            f"Access-Control-Allow-Origin: {origin}" if origin else "no Access-Control-Allow-Origin",
        )

    def _unknown(self) -> Outcome:
        messages = ["( PLAY no.such.match NIL )", "( STOP no.such.match NIL )", "( ABORT no.such.match )"]
        replies = [self._asker.send(message) for message in messages]
        said = [printable(got.text, 30) for got in replies]
        good = all(got.status == 200 for got in replies) and said[0].lower() == "busy"
        return good, f"PLAY, STOP and ABORT get {', '.join(word or 'nothing' for word in said)}"

    def _garbage(self) -> Outcome:
        for message in ("( NONSENSE (", ")" * 100, "\u00e4\u2603\x00", "(" * 20_000, "( START )"):
            try:
                self._asker.send(message)
            except OSError:
                continue  # what it says to this does not matter, but it must be there afterwards
        return self.info()

    def optional(self) -> list[Check]:
        """What few servers need."""
        return [
            ("takes an empty body for INFO", lambda: self._same(post(""))),
            (
                "answers a GET",
                lambda: self._same(f"GET /{quote('( INFO )')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()),
            ),
            ("answers PREVIEW", lambda: self._same(post(f"( PREVIEW ({one_line(GAME)}) 2 )"))),
        ]
