"""The children of the front: started ahead, so that a match does not wait for imports, and never left behind.

A child ends when its pipe is closed, and the kernel kills it when the front dies. That signal comes when the *thread*
dies that started the child, so all of them are started by one thread, which lives as long as the nursery.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future

from ggp.match.packets import Packet, read_packet, write_packet

KINDS = ("referee", "mind")
_GONE: Packet = {"is": "died"}


class Child:
    """A child process. Nothing here blocks: packets are written by one thread of ours and read by another."""

    def __init__(self, kind: str, memory: int, player: str) -> None:
        self.kind = kind
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ggp.match.child", kind, str(memory), player],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is the front's business
        )
        self.pid = self._process.pid
        self._listener: Callable[[Child, Packet], None] | None = None
        self._outgoing: queue.SimpleQueue[Packet | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name=f"{kind} reader", daemon=True)
        self._writer = threading.Thread(target=self._write, name=f"{kind} writer", daemon=True)
        self._writer.start()

    @property
    def alive(self) -> bool:
        """False once the process has ended."""
        return self._process.poll() is None

    def listen(self, listener: Callable[[Child, Packet], None]) -> None:
        """Have a function called, in a thread of ours, with all that the child tells; at last with its death."""
        self._listener = listener
        self._reader.start()

    def send(self, packet: Packet) -> None:
        """Tell the child something. If it is dead, nothing happens: the listener learns of its death."""
        self._outgoing.put(packet)

    def kill(self) -> None:
        """End the process now; its own workers end with it."""
        self._process.kill()
        self._outgoing.put(None)
        if self._reader.ident is None:
            self._process.wait()
            self._close()

    def join(self, seconds: float) -> None:
        """Wait until a killed child is gone."""
        if self._reader.ident is not None:
            self._reader.join(seconds)

    def _write(self) -> None:
        assert self._process.stdin is not None
        while (packet := self._outgoing.get()) is not None:
            try:
                write_packet(self._process.stdin, packet)
            except (OSError, ValueError):  # it died
                return

    def _read(self) -> None:
        assert self._process.stdout is not None and self._listener is not None
        while (packet := read_packet(self._process.stdout)) is not None:
            self._listener(self, packet)
        self._process.kill()
        code = self._process.wait()
        self._outgoing.put(None)
        self._close()
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        self._listener(self, {**_GONE, "how": how})

    def _close(self) -> None:
        self._writer.join(1.0)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):  # what was still to be sent has nobody to go to
                stream.close()


class Nursery:
    """Keeps one spare child of each kind, and starts all of them."""

    def __init__(self, memory: int, player: str) -> None:
        """`memory` is what a child may allocate, in bytes; `player` who will choose, and is warmed up ahead."""
        self._memory, self._player = memory, player
        self._lock = threading.Lock()
        self._spare: dict[str, Child] = {}
        self._ordered: set[str] = set()
        """Spare children that are being started."""
        self._orders: queue.SimpleQueue[tuple[str, Future[Child]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="nursery", daemon=True)
        self._thread.start()

    def take(self, kind: str) -> Child:
        """A child: the spare one if there is one."""
        with self._lock:
            spare = self._spare.pop(kind, None)
        if spare is not None:
            if spare.alive:
                return spare
            spare.kill()
        return self._order(kind).result()

    def refill(self) -> None:
        """Start the spare children that are missing, without waiting for them."""
        for kind in KINDS:
            with self._lock:
                is_missing = kind not in self._spare and kind not in self._ordered
                if is_missing:
                    self._ordered.add(kind)
            if is_missing:
                self._order(kind).add_done_callback(lambda done, kind=kind: self._keep(kind, done))  # type: ignore[misc]

    def close(self) -> None:
        """Kill the spare children and start no more."""
        self._orders.put(None)
        self._thread.join()
        with self._lock:
            for child in self._spare.values():
                child.kill()
            self._spare.clear()

    def _order(self, kind: str) -> Future[Child]:
        future: Future[Child] = Future()
        self._orders.put((kind, future))
        return future

    def _keep(self, kind: str, done: Future[Child]) -> None:
        with self._lock:
            self._ordered.discard(kind)
            if done.exception() is None:
                self._spare[kind] = done.result()

    def _serve(self) -> None:
        while (order := self._orders.get()) is not None:
            kind, future = order
            try:
                future.set_result(Child(kind, self._memory, self._player))
            except Exception as error:  # no more processes, no more memory: whoever ordered decides
                future.set_exception(error)
