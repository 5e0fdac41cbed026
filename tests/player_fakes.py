"""Stand-ins for the player's children, and ways to talk to a player over real sockets."""

from __future__ import annotations

import io
import itertools
import json
import queue
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ggp.match.journal import Journal
from ggp.match.listener import Listener
from ggp.match.nursery import Child, Nursery
from ggp.match.packets import Packet
from ggp.match.player import HttpPlayer
from ggp.match.settings import ListenerSettings, PlayerSettings

LEGAL = ["Left", "(Go 1 Right)"]
RULES = "(role Me) (role random) (init (on 1)) (legal ?r Left) (goal Me 100) (goal random 0) (<= terminal (true (on 2)))"


@dataclass
class Behaviour:
    """How the children of a test behave; may be changed while they live."""

    think: float = 0.0
    """Seconds until the mind decides."""
    silent: bool = False
    """The mind never decides."""
    dies: bool = False
    """At once, before it knows the rules."""
    frozen: tuple[str, ...] = ()
    """The kinds of children that do nothing at all any more, like a process that was stopped."""
    stuck: bool = False
    """The mind does not even look at its commands any more."""
    referee_delay: float = 0.0
    move: str | None = LEGAL[1]
    legal: dict[int, list[str]] = field(default_factory=dict)
    """At which step something else than `LEGAL` is legal."""
    refuse: str = ""
    refuses: tuple[str, ...] = ("referee", "mind")
    load_delay: float = 0.0
    legal_now: bool = True
    """What `check` finds."""


class FakeChild:
    """Does what a child does, in a thread, for a game that never ends."""

    pids = itertools.count(1_000_000)

    def __init__(self, kind: str, behaviour: Behaviour) -> None:
        self.kind, self.behaviour, self.pid = kind, behaviour, next(self.pids)
        self.alive = True
        self.commands: list[Packet] = []
        self._waiting: queue.SimpleQueue[Packet | None] = queue.SimpleQueue()
        self._listener: Callable[[Any, Packet], None] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def listen(self, listener: Callable[[Any, Packet], None]) -> None:
        self._listener = listener
        self._thread.start()

    def send(self, packet: Packet) -> None:
        if packet["do"] == "ping":
            if self.kind not in self.behaviour.frozen:
                self.tell({"is": "alive"})
            return
        self.commands.append(packet)
        self._waiting.put(packet)

    def kill(self) -> None:
        self.alive = False
        self._waiting.put(None)

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def tell(self, packet: Packet) -> None:
        assert self._listener is not None
        self._listener(self, packet)

    def _run(self) -> None:
        while self.alive and (packet := self._waiting.get()) is not None:
            while self.alive and self._does_nothing:
                time.sleep(0.005)
            if self.behaviour.dies:
                break
            if self.alive:
                getattr(self, f"_{packet['do']}")(packet)
        self.alive = False
        self.tell({"is": "died", "how": "killed by signal 9"})

    @property
    def _does_nothing(self) -> bool:
        return self.kind in self.behaviour.frozen or (self.behaviour.stuck and self.kind == "mind")

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.alive and time.monotonic() < until:
            time.sleep(0.005)

    def _load(self, packet: Packet) -> None:
        self._pause(self.behaviour.load_delay)
        if self.behaviour.refuse and self.kind in self.behaviour.refuses:
            self.tell({"is": "refused", "why": self.behaviour.refuse, "missing": False})
            return
        self.tell({"is": "loaded", "roles": ["me", "random"], "language": "GDL-II", "warnings": [], "problems": 0})
        self._position(packet["step"])
        self.tell({"is": "ready"})

    def _advance(self, packet: Packet) -> None:
        if self.kind == "referee":
            self._pause(self.behaviour.referee_delay)
        self._position(packet["step"])
        if packet["decide_by"] is not None and self.kind == "mind" and not self.behaviour.silent:
            self._pause(self.behaviour.think)
            report = {"simulations_per_second": 1000, "expected": 50.0}
            self.tell({"is": "chosen", "step": packet["step"], "move": self.behaviour.move, "report": report})

    def _check(self, packet: Packet) -> None:
        self.tell({"is": "checked", "number": packet["number"], "legal": self.behaviour.legal_now})

    def _rest(self, packet: Packet) -> None:
        pass

    def _position(self, step: int) -> None:
        legal = self.behaviour.legal.get(step, LEGAL)
        self.tell({
            "is": "position", "step": step, "terminal": False, "legal": legal, "goals": [100, 0], "fluents": ["(on 1)"],
        })  # fmt: skip


class FakeNursery(Nursery):
    """Gives out fakes, and remembers them."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.born: list[FakeChild] = []

    def take(self, kind: str) -> Child:
        child = FakeChild(kind, self.behaviour)
        self.born.append(child)
        return child  # type: ignore[return-value]

    def refill(self) -> None:
        pass

    def close(self) -> None:
        pass

    @property
    def living(self) -> list[FakeChild]:
        return [child for child in self.born if child.alive]

    def last(self, kind: str) -> FakeChild:
        return [child for child in self.born if child.kind == kind][-1]


class Notes(io.StringIO):
    """A screen that remembers what was noted."""


@dataclass
class Served:
    """A player that listens, and what a test needs to look into it."""

    port: int
    player: HttpPlayer
    nursery: FakeNursery
    behaviour: Behaviour
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def say(self, message: str | bytes, **headers: str) -> str:
        """Send a message as most servers do; the reply's text."""
        return talk(self.port, post(message, **headers)).body.decode()

    def names(self) -> list[str]:
        """The events that were noted, in order."""
        return [name for name, _ in self.events]


@contextmanager
def served(
    settings: PlayerSettings | None = None, web: ListenerSettings | None = None, behaviour: Behaviour | None = None
) -> Iterator[Served]:
    """A player with fake children that listens on a free port."""
    behaviour = behaviour or Behaviour()
    nursery = FakeNursery(behaviour)
    journal = Journal(screen=Notes())
    events: list[tuple[str, dict[str, Any]]] = []
    journal.note = lambda event, **details: events.append((event, details))  # type: ignore[method-assign]
    player = HttpPlayer(settings or PlayerSettings(), journal, nursery)
    listener = Listener(web or ListenerSettings(port=0))
    listener.start(player.answer, lambda peer, why: journal.note("unreadable", who=peer, why=why))
    try:
        yield Served(listener.port, player, nursery, behaviour, events)
    finally:
        player.close()
        listener.close()
    until(lambda: not nursery.living)  # a match that has just ended still works out its last position
    assert "fault" not in [name for name, _ in events], events


@dataclass(frozen=True)
class Answer:
    """What came back on a connection, up to its end."""

    raw: bytes

    @property
    def status(self) -> str:
        return self.raw.split(b"\r\n", 1)[0].decode()

    @property
    def headers(self) -> dict[str, str]:
        lines = self.raw.split(b"\r\n\r\n", 1)[0].decode().split("\r\n")[1:]
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    @property
    def body(self) -> bytes:
        return self.raw.split(b"\r\n\r\n", 1)[1]


def post(message: str | bytes, version: str = "1.1", **headers: str) -> bytes:
    """A request as the GGP base server sends it."""
    body = message.encode() if isinstance(message, str) else message
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"POST / HTTP/{version}\r\nAccept: text/delim\r\nHost: x\r\nSender: GAMESERVER\r\nReceiver: P\r\n{more}"
    return f"{head}Content-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def talk(port: int, request: bytes, piece: int = 1 << 20, timeout: float = 20.0, half_close: bool = False) -> Answer:
    """Send bytes, read to the end of the stream (which must come)."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        for at in range(0, len(request), piece):
            connection.sendall(request[at : at + piece])
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
    return Answer(b"".join(parts))


def start(match: str = "M.1", clock: int = 10, role: str = "Me", start_clock: int = 10) -> str:
    """A START of the fakes' game."""
    return f"( START {match} {role} ({RULES}) {start_clock} {clock} )"


def background(call: Callable[[], Any]) -> Callable[[], Any]:
    """Run something in a thread; the function that is returned waits for its result."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(call()), daemon=True)
    thread.start()

    def wait() -> Any:
        thread.join(20)
        return results[0]

    return wait


def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait for something that must come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.005)


def mutations(seed: int, count: int, valid: list[bytes]) -> Iterator[bytes]:
    """Requests as a careless or hostile stranger might send them: valid ones, changed here and there, or noise."""
    generator = random.Random(seed)
    for _ in range(count):
        data = bytearray(generator.choice(valid))
        for _ in range(generator.choice((0, 1, 1, 2, 5, 30))):
            at = generator.randrange(len(data) + 1)
            kind = generator.randrange(5)
            if kind == 0:
                data[at : at + 1] = bytes([generator.randrange(256)])
            elif kind == 1:
                del data[at : at + generator.randrange(1, 30)]
            elif kind == 2:
                data[at:at] = generator.choice((b"(", b")", b"\r\n", b"\r\n\r\n", b"?x", b";", b"\0", b"%28", b"9" * 20))
            elif kind == 3:
                data[at:at] = data[generator.randrange(len(data) + 1) :][:40]
            else:
                data[at:at] = b"(" * generator.randrange(200)
        yield bytes(data)


def log_lines(path: Any) -> list[dict[str, Any]]:
    """The objects of a log."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
