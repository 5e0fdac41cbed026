"""The subcommands of `ggp`, one module each: NAME, add_arguments(parser), run(options) -> exit code.

The module's docstring is the help: its first line the summary, the rest the explanation.
"""

from argparse import ArgumentParser, Namespace
from typing import Protocol

from ggp.commands import (
    bench,
    check,
    doctor,
    experiment,
    format_,
    games,
    generate,
    master,
    match,
    new,
    perft,
    play,
    play_through,
    records,
    register,
    replay,
    scramble,
    search,
    show,
    tournament,
    why,
)


class Command(Protocol):
    """What a command's module offers."""

    NAME: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's own options."""

    def run(self, options: Namespace) -> int:
        """Run it; returns the exit code."""


COMMANDS: tuple[Command, ...] = (
    check, format_, show, play_through, perft, bench, match, play, replay, records, master, register, search, why,
    scramble, games, new, generate, experiment, tournament, doctor,
)  # fmt: skip
