"""The socket of a match: whoever watches is sent what is new, as soon as it is there."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ggp.core.errors import UsageError
from ggp.web.fields import Fields
from ggp.web.room import Room
from ggp.web.rooms import Rooms

_HELLO = 10.0
"""Seconds that a browser has to say which keys it holds."""
_MOST = 500
"""Watchers of one match."""
ENDED, REFUSED = 4404, 4400
"""Codes with which a socket is closed: nothing is left to be seen; the first message made no sense."""


class Live:
    """Serves `/api/matches/ID/live`: the first message has the watcher's `keys`, all others are ours."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one watcher until it leaves."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            async with asyncio.timeout(_HELLO):
                asked = Fields.read(await socket.receive_text())
            room = self._rooms.find(scope["path_params"]["id"])
            keys = asked.texts("keys", 16)
            if room.watchers() >= _MOST:
                raise UsageError(f"{_MOST} watch this match already")
        except (UsageError, TimeoutError) as error:
            await socket.close(ENDED if isinstance(error, UsageError) else REFUSED, str(error)[:100])
            return
        except (WebSocketDisconnect, KeyError):
            return
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # sending to somebody who has just gone
            await _serve(socket, room, keys)


async def _serve(socket: WebSocket, room: Room, keys: list[str]) -> None:
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    seen: list[int] = []

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(woken.set)

    room.watch(wake)
    leaving = asyncio.create_task(_leave(socket))
    try:
        while not leaving.done():
            woken.clear()
            await socket.send_text(await run_in_threadpool(room.news, keys, seen))
            waiting = asyncio.create_task(woken.wait())
            await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
    finally:
        leaving.cancel()
        room.unwatch(wake)


async def _leave(socket: WebSocket) -> None:
    """Ends when the watcher has gone; what it sends is not read any more."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
