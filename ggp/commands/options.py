"""What several commands share: options, what they make of them, and how they end."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any

from gdl import Ruleset
from ggp.core import interrupts
from ggp.core.progress import Status, silent
from ggp.machines import MACHINES, Limits, Machine, make_machine

LEAST_CLOCK = 0.1
"""Seconds of the shortest clock that can be asked for."""
GAME = "a .kif file, or the name of a game of the library"
"""What commands take for a game; `ggp.core.library.game_file` finds it."""


def add_game(parser: argparse.ArgumentParser) -> None:
    """The game that a command is about."""
    parser.add_argument("file", metavar="GAME", help=GAME)


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Options to choose a machine and its limits, and the option for whoever waits for it."""
    add_machine_choice(parser)
    add_progress(parser)


def add_machine_choice(parser: argparse.ArgumentParser) -> None:
    """Options to choose a machine and its limits."""
    parser.add_argument("--machine", choices=MACHINES, default=MACHINES[0], help="what answers (default: %(default)s)")
    parser.add_argument(
        "--time-limit", type=positive_float, default=Limits.seconds, metavar="S",
        help="seconds for one question to the machine (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--memory-limit", type=positive_float, default=Limits.bytes / 2**30, metavar="GB",
        help="memory of the machine's worker process (default: %(default)g)",
    )  # fmt: skip


def add_progress(parser: argparse.ArgumentParser) -> None:
    """The option for whoever waits."""
    parser.add_argument(
        "--progress", action=argparse.BooleanOptionalAction,
        help="tell on standard error what is being done (default: if that is a terminal)",
    )  # fmt: skip


def add_seed(parser: argparse.ArgumentParser) -> None:
    """The option for the seed of all chance."""
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of all chance (default: %(default)s)")


def add_steps(parser: argparse.ArgumentParser) -> None:
    """The option that bounds a play."""
    parser.add_argument(
        "--steps", type=positive_int, default=1000, metavar="N", help="stop a play after N steps (default: %(default)s)"
    )


def explain_players(parser: argparse.ArgumentParser) -> None:
    """Tell the options of the players below the help of a command that takes players."""
    from ggp.search.presets import PRESETS, options_text

    names = ", ".join(PRESETS)
    parser.epilog = f"options of the players that search ({names}), as in ucd:seconds=2,c=30:\n\n{options_text()}"


def limits(options: argparse.Namespace) -> Limits:
    """The limits that were asked for."""
    return Limits(options.time_limit, int(options.memory_limit * 2**30))


@contextmanager
def machine(
    options: argparse.Namespace, ruleset: Ruleset, status: Status | None = None, patience: float = 0.0
) -> Iterator[Machine[Any]]:
    """The machine that was asked for; closed at the end, whatever happens.

    Without a `status`, what is being done is shown only until there is a machine: `auto` goes on compiling in silence.
    With one, `auto` shows it too. `patience`: seconds that `auto` waits for the circuit before it starts Prolog.
    """
    with Status(options.progress) if status is None else nullcontext(status) as line:
        tell = silent if options.machine == "auto" and status is None and not patience else line.show
        made = make_machine(options.machine, ruleset, limits(options), tell, patience)
        line.show("")
    told = _tell(made, 0, status)
    try:
        yield made
    finally:
        made.close()
        _tell(made, told, status)


def _tell(made: Machine[Any], told: int, status: Status | None) -> int:
    """Say on standard error what made `auto` use another engine than it should; how many events have been seen."""
    for event in made.history[told:]:
        if event.is_trouble:
            (status or Status()).say(f"ggp: {event.message}")
    return len(made.history)


def positive_int(text: str) -> int:
    """A whole number above 0, for argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def count(text: str) -> int:
    """A whole number, 0 or more, for argparse."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


def positive_float(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def clock(text: str) -> float:
    """A clock in seconds, for argparse: whole, as messages of the protocol have it, where it is whole.

    >>> clock("3"), clock("0.25")
    (3, 0.25)
    """
    value = float(text)
    if not LEAST_CLOCK <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is no clock: {LEAST_CLOCK:g} seconds are the least")
    return int(value) if value.is_integer() else round(value, 3)


@contextmanager
def until_sigterm() -> Iterator[threading.Event]:
    """An event that SIGTERM sets, for servers. Ctrl-C raises KeyboardInterrupt.

    Both hold however the server was started: shells make what they put into the background ignore Ctrl-C.
    """
    wanted = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (what handlers are called with)
        wanted.set()

    handlers: dict[signal.Signals, Any] = {signal.SIGTERM: on_signal}
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        handlers[signal.SIGINT] = interrupts.interrupt
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield wanted
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in before.items():
            signal.signal(number, handler)
