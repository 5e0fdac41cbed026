"""The tools, each with its schema, and the server that offers them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

import ggp
from ggp.mcp import answers
from ggp.mcp.apart import CallError, CallLimits, run
from ggp.mcp.sources import LONGEST, source
from ggp.players.specs import PLAYERS

INSTRUCTIONS = """Games as rules in GDL, the Game Description Language: check rules, see positions, play, search.
A game is the text of its rules, the name of a game of the library (tic_tac_toe, nim, connect_four, …), or a file below
the server's folder. Write rules in small steps: check them (with assertions), look at the board and the legal moves,
compare perft with counts that you know, read a play-through, ask why something holds or does not."""

Game = Annotated[
    str, Field(min_length=1, max_length=LONGEST, description="rules, a name of the library, or a file below the folder")
]
Moves = Annotated[
    str,
    Field(
        max_length=20_000,
        description='joint moves so far, one move for each role in turn: "(mark 1 1) noop  noop (mark 2 2)"',
    ),
]
Assertion = Annotated[str, Field(max_length=20_000, description="a formula of GDL that holds in every position")]
Seed = Annotated[int, Field(ge=0, le=2**31, description="of the random choices")]
Player = Annotated[str, Field(max_length=200, description=f"one of {', '.join(PLAYERS)}, with options: ucd:seconds=1")]
Answer = dict[str, Any]

_PLAYER = re.compile(rf"({'|'.join(PLAYERS)})(:[\w=.,-]*)?")


class Desk:
    """Takes calls, so many at once."""

    def __init__(self, folder: Path, limits: CallLimits) -> None:
        self.folder, self.limits = folder, limits
        self._calls: anyio.CapacityLimiter | None = None

    async def ask(self, game: str, shape: Callable[[str], Answer], command: str, *options: str, last: str = "") -> Answer:
        """What a command says of a game, in a shape; `last` is an argument behind the game."""
        self._calls = self._calls or anyio.CapacityLimiter(self.limits.at_once)
        try:
            name, text = source(game, self.folder)
            for option in (*options, last):
                if "\0" in option or any("\ud800" <= letter <= "\udfff" for letter in option):
                    raise CallError("an argument holds a character that is part of no text")
            arguments = [command, *options, "--", name, *([last] if last else [])]
            async with self._calls:
                return shape(await run(arguments, (name, text), self.limits))
        except CallError as error:
            raise ToolError(str(error)) from None


def make_server(folder: Path, limits: CallLimits) -> MCPServer[Any]:
    """A server whose tools see the files below a folder, and keep to limits in each call."""
    server: MCPServer[Any] = MCPServer("ggp", instructions=INSTRUCTIONS, version=ggp.__version__, log_level="ERROR")
    desk = Desk(folder, limits)
    for tool in (*_tools_for_authors(desk), *_tools_for_players(desk)):
        server.add_tool(tool)
    return server


def _tools_for_authors(desk: Desk) -> tuple[Callable[..., Any], ...]:
    async def check(
        game: Game,
        plays: Annotated[int, Field(ge=0, le=20, description="random plays to look at")] = 2,
        assertions: Annotated[list[Assertion], Field(max_length=20)] = [],  # noqa: B006 (it is the schema's default)
    ) -> Answer:
        """Find what is wrong with rules: each problem with its law, line and column.

        Assertions are proved, or refuted with a line of play, or held in so many positions of random play.
        """
        wanted = [f"--assert={assertion}" for assertion in assertions]
        return await desk.ask(game, answers.check, "check", "--json", f"--plays={plays}", *wanted)

    async def format(game: Game) -> Answer:
        """Lay rules out: one condition a line, comments kept. The text is given; no file is changed."""
        return await desk.ask(game, answers.cut, "format")

    async def why(
        game: Game,
        atom: Annotated[
            str, Field(min_length=1, max_length=20_000, description='"(legal white (move 1 2))", "terminal"')
        ],
        moves: Moves = "",
        then: Annotated[str, Field(max_length=20_000, description="a joint move made in the position")] = "",
    ) -> Answer:
        """Explain why an atom holds in a position, or why it does not."""
        return await desk.ask(
            game, answers.why, "why", "--json", "--machine=circuit", f"--moves={moves}", f"--then={then}", last=atom
        )

    async def perft(game: Game, depth: Annotated[int, Field(ge=0, le=12)]) -> Answer:
        """Count the tree of a game level by level, to be compared with numbers that are known."""
        return await desk.ask(game, answers.perft, "perft", "--json", f"--depth={depth}")

    return check, format, why, perft


def _tools_for_players(desk: Desk) -> tuple[Callable[..., Any], ...]:
    async def board(game: Game, moves: Moves = "") -> Answer:
        """Show a position as a board in letters, and what holds there."""
        return await desk.ask(game, answers.board, "position", "--json", f"--moves={moves}")

    async def legal_moves(game: Game, moves: Moves = "") -> Answer:
        """List the legal moves of each role in a position, and the goals."""
        return await desk.ask(game, answers.legal, "position", "--json", f"--moves={moves}")

    async def play_through(
        game: Game, seed: Seed = 1, steps: Annotated[int, Field(ge=1, le=1000, description="at most")] = 100
    ) -> Answer:
        """Play at random and tell it step by step: what holds, who may do what, what was done."""
        return await desk.ask(game, answers.cut, "play-through", f"--seed={seed}", f"--steps={steps}")

    async def search(
        game: Game,
        moves: Moves = "",
        seconds: Annotated[float, Field(gt=0, le=10)] = 1.0,
        player: Player = "ucd",
        seed: Seed = 1,
    ) -> Answer:
        """Search a position: how good each move is, what is proven, and the line that is expected."""
        wanted = [f"--moves={moves}", f"--seconds={seconds}", f"--player={_built_in(player)}", f"--seed={seed}"]
        return await desk.ask(game, answers.search, "search", "--json", "--memory=256", *wanted)

    async def match(
        game: Game,
        players: Annotated[list[Player], Field(max_length=20, description="one for each role")] = [],  # noqa: B006
        playclock: Annotated[float, Field(ge=0.1, le=10, description="seconds for each move")] = 1.0,
        seed: Seed = 1,
    ) -> Answer:
        """Play a match between built-in players; roles without one are played by random."""
        wanted = [f"--player={_built_in(player)}" for player in players or ["random"]]
        clocks = ["--startclock=2", f"--playclock={playclock}", f"--seed={seed}"]
        return await desk.ask(game, answers.match, "match", "--json", "--no-record", *clocks, *wanted)

    return board, legal_moves, play_through, search, match


def _built_in(player: str) -> str:
    """A player of ours: no address, nobody at a terminal."""
    if not _PLAYER.fullmatch(player):
        raise ToolError(f"there is no player {player!r}; known are: {', '.join(PLAYERS)}")
    return player
