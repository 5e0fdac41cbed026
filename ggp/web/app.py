"""The application: which address means what. Answers are JSON; what is asked for runs on threads of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gdl.errors import GdlError
from ggp.core.errors import GgpError, MachineError, UsageError
from ggp.core.faults import report
from ggp.specialists.offered import offered
from ggp.web import measuring, studio
from ggp.web.analyst import Analyst
from ggp.web.archive import Archive
from ggp.web.entry import Entry, EntryRules
from ggp.web.experiments import Experiments
from ggp.web.fields import BusyError, Fields, Json, MissingError
from ggp.web.frames import Sight
from ggp.web.live import AnalysisLive, Live
from ggp.web.places import Places
from ggp.web.rooms import Rooms
from ggp.web.shelf import LONGEST_RULES, Shelf

PAGE = Path(__file__).with_name("page")
LONGEST_BODY = 2 * LONGEST_RULES
"""Bytes of a request."""
Answering: TypeAlias = Callable[[Request], Awaitable[Response]]
_CODES: tuple[tuple[type[Exception], int], ...] = (
    (MissingError, 404), (BusyError, 503), (UsageError, 400), (MachineError, 422), (GgpError, 400), (GdlError, 400),
)  # fmt: skip


@dataclass(frozen=True)
class Services:
    """What the page is about."""

    shelf: Shelf
    rooms: Rooms
    archive: Archive
    analyst: Analyst
    experiments: Experiments
    hall: Callable[[], Json]
    """What a game server that runs beside the page tells of itself; nothing where there is none."""

    @classmethod
    def of(cls, folder: Path, records: Path | None, hall: Callable[[], Json] = lambda: None) -> Services:
        """For the games of a folder, with matches recorded in another; None for nowhere."""
        shelf, rooms = Shelf(folder), Rooms(records)
        archive = Archive(records or folder / "records", shelf, rooms.writing)
        return cls(shelf, rooms, archive, Analyst(), Experiments(folder), hall)

    @property
    def places(self) -> Places:
        """Finds positions."""
        return Places(self.shelf, self.rooms, self.archive)

    def close(self, seconds: float) -> None:
        """End everything; `seconds` to put it away."""
        self.rooms.close(seconds)
        self.archive.close()
        self.analyst.close()


def make_app(services: Services, rules: EntryRules) -> ASGIApp:
    """The application with its entry before it."""
    routes = [
        *_games(services),
        *_matches(services),
        *_records(services.archive),
        *_studio(services),
        *_experiments(services.experiments),
        WebSocketRoute("/api/matches/{id}/live", Live(services.rooms.find)),
        WebSocketRoute("/api/records/{id}/live", Live(services.archive.reading)),
        WebSocketRoute("/api/analysis/live", AnalysisLive(services.places, services.analyst)),
        Mount("/", StaticFiles(directory=PAGE, html=True)),
    ]
    return Entry(Starlette(routes=routes), rules)


def _games(services: Services) -> list[Route]:
    shelf = services.shelf

    def seats(_: dict[str, str], asked: Fields) -> Json:
        title = services.places.find(asked.inner("branch")).title if asked.has("branch") else shelf.title(asked)
        return {"roles": list(title.ruleset.roles), "programs": offered(title.ruleset), "hall": services.hall()}

    return [
        _get("/api/games", lambda _: {"games": shelf.listing()}),
        _get("/api/games/{name}", lambda path: {"name": path["name"], "text": shelf.text(path["name"])}),
        _get("/api/games/{name}/board", lambda path: shelf.first_board(path["name"])),
        _post("/api/games/{name}", lambda path, asked: {
            "file": shelf.save(path["name"], asked.text("text", LONGEST_RULES), asked.flag("replace")),
        }),
        _post("/api/seats", seats),
    ]  # fmt: skip


def _matches(services: Services) -> list[Route]:
    shelf, rooms = services.shelf, services.rooms

    def begin(_: dict[str, str], asked: Fields) -> Json:
        if not asked.has("branch"):
            return rooms.open(shelf.title(asked), asked)
        place = services.places.find(asked.inner("branch"))
        return rooms.open(place.title, asked, place.script)

    def hint(name: str, asked: Fields, key: str) -> Json:
        room = rooms.find(name)
        role, positions = room.positions(key)
        return services.analyst.hint(room.setup.title, positions, role, asked.number("seconds", 0.1, 60, 2))

    def act(do: Callable[[str, Fields, str], Json]) -> Callable[[dict[str, str], Fields], Json]:
        return lambda path, asked: do(path["id"], asked, asked.text("key")) or {}

    def board(path: dict[str, str], asked: Fields) -> Json:
        room = rooms.find(path["id"])
        frame = room.frame(asked.count("step", 10**6))
        return room.sight(asked.texts("keys", 16)).board(frame, room.setup.title.drawing)

    return [
        _get("/api/matches", lambda _: {
            "matches": rooms.listing(), "elsewhere": services.archive.under_way(), "hall": services.hall(),
        }),
        _post("/api/matches", begin),
        _get("/api/matches/{id}", lambda path: rooms.find(path["id"]).header()),
        _post("/api/matches/{id}/board", board),
        _post("/api/matches/{id}/move", act(
            lambda name, asked, key: rooms.find(name).choose(key, asked.count("step", 10**6), asked.text("move", 2000))
        )),
        _post("/api/matches/{id}/hint", act(hint)),
        _post("/api/matches/{id}/undo", act(lambda name, _, key: rooms.find(name).take_back(key))),
        _post("/api/matches/{id}/resign", act(lambda name, _, key: rooms.find(name).resign(key))),
        _post("/api/matches/{id}/rematch", act(lambda name, _, key: rooms.rematch(rooms.find(name), key))),
    ]  # fmt: skip


def _records(archive: Archive) -> list[Route]:
    def board(path: dict[str, str]) -> Json:
        title, frame = archive.frame(path["name"], int(path["step"]))
        return Sight(None).board(frame, title.drawing)

    return [
        _get("/api/records", lambda _: archive.listing()),
        _get("/api/standings", lambda _: archive.standings()),
        _get("/api/records/{name}", lambda path: archive.open(path["name"]).header()),
        _get("/api/records/{name}/board/{step:int}", board),
    ]


def _studio(services: Services) -> list[Route]:
    return [
        _post("/api/studio/check", lambda _, asked: studio.diagnose(asked)),
        _post("/api/studio/format", lambda _, asked: studio.laid_out(asked)),
        _post("/api/studio/walk", lambda _, asked: studio.walk(services.shelf, asked)),
        _post("/api/studio/complete", lambda _, asked: studio.complete(asked)),
        _post("/api/studio/measure", lambda _, asked: measuring.measure(services.shelf, asked)),
        _post("/api/analysis/board", lambda _, asked: services.analyst.after(services.places.find(asked), asked)),
        _post("/api/why", lambda _, asked: services.analyst.why(services.places.find(asked), asked.text("atom", 500))),
    ]


def _experiments(experiments: Experiments) -> list[Route]:
    return [
        _get("/api/experiments", lambda _: experiments.listing()),
        _get("/api/experiments/run/{name}", lambda path: experiments.run(path["name"])),
        _drawing("/api/experiments/run/{name}/{figure}", lambda path: experiments.figure(path["name"], path["figure"])),
        _get("/api/experiments/report/{folder:path}/{name}.md", lambda path: (
            experiments.report(path["folder"], path["name"])
        )),
        _drawing("/api/experiments/report/{folder:path}/{figure}", lambda path: (
            experiments.drawing(path["folder"], path["figure"])
        )),
    ]  # fmt: skip


def _get(path: str, work: Callable[[dict[str, str]], Json]) -> Route:
    async def answer(request: Request) -> Response:
        return await _answered(lambda: work(request.path_params))

    return Route(path, answer, methods=["GET"])


def _post(path: str, work: Callable[[dict[str, str], Fields], Json]) -> Route:
    async def answer(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return JSONResponse({"error": "JSON was expected"}, 415)
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > LONGEST_BODY:
                return JSONResponse({"error": f"more than {LONGEST_BODY:,} bytes"}, 413, {"Connection": "close"})
        return await _answered(lambda: work(request.path_params, Fields.read(bytes(body))))

    return Route(path, answer, methods=["POST"])


def _drawing(path: str, work: Callable[[dict[str, str]], str]) -> Route:
    async def answer(request: Request) -> Response:
        return await _answered(lambda: work(request.path_params), lambda text: Response(text, media_type="image/svg+xml"))

    return Route(path, answer, methods=["GET"])


async def _answered(work: Callable[[], Json], as_response: Callable[[Json], Response] = JSONResponse) -> Response:
    """What some work comes to; errors in words."""
    try:
        return as_response(await run_in_threadpool(work))
    except Exception as error:
        code = next((code for kind, code in _CODES if isinstance(error, kind)), 500)
        return JSONResponse({"error": str(error) if code < 500 or isinstance(error, GgpError) else report(error)}, code)
