"""The subcommands of `ggp`, one module each: add_arguments(parser), run(options) -> exit code.

The module's docstring is the help: its first line the summary, the rest the explanation. Modules are imported when their
command is asked for, so what they import at their top must be light: a test looks at that.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast


class Command(Protocol):
    """What a command's module offers."""

    __doc__: str | None

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's own options."""

    def run(self, options: Namespace) -> int:
        """Run it; returns the exit code."""


_OTHERWISE: Mapping[str, str] = {"format": "format_", "import": "import_", "play-through": "play_through"}
"""Modules that cannot have the name of their command."""
COMMANDS: Mapping[str, str] = {
    "check": "check descriptions against the laws of GDL",
    "format": "lay out descriptions: one condition a line, comments kept, names as they are spelled",
    "show": "show what a game is made of: roles, relations, sizes, and the time of every stage",
    "position": "show a position: its board, what holds, who may do what, and the goals",
    "play-through": "print a random play step by step",
    "perft": "count a game's tree: positions by sequence of joint moves, level by level",
    "bench": "measure how fast a machine plays: uniformly random complete playouts from the first position, goals read",
    "match": "play a match under a game master, with a live board in the terminal",
    "play": "play matches over HTTP: a player that game servers can talk to",
    "web": "open a page in the browser: play any game, watch, replay, analyse, and write games",
    "replay": "step through a match record, and verify it by the rules",
    "records": "list the match records of a directory, the oldest first",
    "master": "run a game server: players announce themselves, matches among those that are free are set up and recorded",
    "register": "register a player with a game server, as far as the server lets a program do it, or see what would fail",
    "search": "search one position and show what the search found: its moves, the line it expects, the graph it grew",
    "study": "study a game, so that matches of it begin with what was learned",
    "knowledge": "show what was learned of games, and merge what several machines have learned",
    "why": "explain why something holds in a position, or why it does not",
    "scramble": "rename a description as game servers do, to see that nothing hangs on names",
    "games": "list the library of games, all of it or what is asked for",
    "import": "take games or matches that others keep: public collections, games servers, databases, archives of matches",
    "new": "start a game file from a template: a small complete game, to be changed step by step into another",
    "generate": "generate an artificial game from a seed; the same seed gives the same text",
    "experiment": "repeat the experiments of the papers, or your own: plan, run, report",
    "tournament": "play a tournament: all against all, one against all, or two until it is decided who is stronger",
    "strength": "measure how strong a player is: decisions of known value, and matches against rivals at equal time",
    "lsp": "serve editors: a language server for GDL over standard input and output, as editors start such servers",
    "mcp": "serve the commands as tools for language models, by the Model Context Protocol",
    "completion": "let a shell complete commands, options, and the names of games and players, or print a manual page",
    "cache": "show the cache of compiled games: its folder and how full it is",
    "doctor": "tell what is installed, what is missing, and what to do about it",
}
"""Their names in the order of the help, and what they do: the first line of their modules, which need not be loaded."""

COMPILING = frozenset(
    ("bench", "match", "play", "web", "search", "study", "perft", "show", "experiment", "tournament", "strength", "mcp")
)
"""Those that can do little before the kernels are compiled."""


def command(name: str) -> Command:
    """The module of a command."""
    return cast("Command", import_module(f"ggp.commands.{_OTHERWISE.get(name, name)}"))
