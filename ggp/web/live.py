"""Sockets: whoever watches a match is sent what is new as soon as it is there, and so is who has a position analysed."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from gdl.errors import GdlError
from ggp.core.errors import GgpError, UsageError
from ggp.core.faults import report
from ggp.web.analyst import Analyst, StoppedError
from ggp.web.fields import Fields, Json
from ggp.web.frames import dumped
from ggp.web.places import Places

_HELLO = 10.0
"""Seconds that a browser has to say which keys it holds."""
_TICK = 0.05
"""Seconds after which it is looked whether a search has ended."""
_MOST = 500
"""Watchers of one match."""
ENDED, REFUSED = 4404, 4400
"""Codes with which a socket is closed: nothing is left to be seen; the first message made no sense."""


class Watchable(Protocol):
    """What changes, and can be watched by many."""

    def watch(self, wake: Callable[[], None]) -> None:
        """Be woken up at every change, from any thread."""

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Be left alone again."""

    def watchers(self) -> int:
        """How many look on."""

    def news(self, keys: Sequence[str], seen: list[int]) -> str:
        """What is new for the holder of some keys who has `seen` some frames."""


class Live:
    """Serves a socket of what changes: the first message has the watcher's `keys`, all others are ours."""

    def __init__(self, find: Callable[[str], Watchable]) -> None:
        """`find`: what has the `id` that is in the address; UsageError if there is none."""
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one watcher until it leaves."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            async with asyncio.timeout(_HELLO):
                asked = Fields.read(await socket.receive_text())
            watched = await run_in_threadpool(self._find, scope["path_params"]["id"])
            keys = asked.texts("keys", 16)
            if watched.watchers() >= _MOST:
                raise UsageError(f"{_MOST} watch this match already")
        except (UsageError, TimeoutError) as error:
            await socket.close(ENDED if isinstance(error, UsageError) else REFUSED, str(error)[:100])
            return
        except (WebSocketDisconnect, KeyError):
            return
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # sending to somebody who has just gone
            await _serve(socket, watched, keys)


async def _serve(socket: WebSocket, watched: Watchable, keys: list[str]) -> None:
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    seen: list[int] = []

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(woken.set)

    watched.watch(wake)
    leaving = asyncio.create_task(_leave(socket))
    try:
        while not leaving.done():
            woken.clear()
            await socket.send_text(await run_in_threadpool(watched.news, keys, seen))
            waiting = asyncio.create_task(woken.wait())
            await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
    except (GgpError, GdlError, OSError) as error:  # a record that has gone, or is none any more
        await socket.close(ENDED, str(error)[:100])
    finally:
        leaving.cancel()
        watched.unwatch(wake)


class AnalysisLive:
    """Serves `/api/analysis/live`: the first message says which position and for how long.

    Any further message ends the search early, with all that was found; whoever leaves ends it without a word.
    """

    def __init__(self, places: Places, analyst: Analyst) -> None:
        self._places, self._analyst = places, analyst

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Search for one browser."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        loop, gone, stop = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
        told: asyncio.Queue[Json] = asyncio.Queue()

        def tell(found: Json) -> None:
            if gone.is_set():
                raise StoppedError
            loop.call_soon_threadsafe(told.put_nowait, found)

        def search(text: str) -> None:
            asked = Fields.read(text)
            self._analyst.look(self._places.find(asked), asked.number("seconds", 0.1, 600, 5), tell, stop)

        leaving: asyncio.Task[None] | None = None
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError, TimeoutError, StoppedError):
            async with asyncio.timeout(_HELLO):
                text = await socket.receive_text()
            working = asyncio.create_task(run_in_threadpool(search, text))
            leaving = asyncio.create_task(_leave(socket, stop.set))
            leaving.add_done_callback(lambda _: gone.set())
            await _pass_on(socket, told, working, leaving)
        if leaving is not None:
            leaving.cancel()


async def _pass_on(
    socket: WebSocket, told: asyncio.Queue[Json], working: asyncio.Task[None], leaving: asyncio.Task[None]
) -> None:  # fmt: skip
    """Send what is told until the search has ended, and why it ended if it failed."""
    while not (working.done() and told.empty()) and not leaving.done():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TICK):
                await socket.send_text(dumped(await told.get()))
    if leaving.done():
        with contextlib.suppress(Exception):  # nobody is left who could be told
            await working
        return
    try:
        await working
    except Exception as error:
        why = str(error) if isinstance(error, (GgpError, GdlError)) else report(error)
        await socket.send_text(dumped({"error": why, "done": True}))
    await socket.close()


async def _leave(socket: WebSocket, heard: Callable[[], None] = lambda: None) -> None:
    """Ends when the watcher has gone; that it sends something is `heard`, what it is is not read."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        heard()
