"""A program for one game that behaves as a test wants: `fake_specialist.py PROTOCOL BEHAVIOUR LOG MOVE …`.

It plays the moves that it was given, one after the other, and writes every line that it is told to the log.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

COMMANDS = ["boardsize", "clear_board", "komi", "play", "genmove", "time_settings", "quit"]
UCI = "id name Fake 1\noption name Skill Level type spin default 20 min -20 max 20\noption name Ponder type check\n" + (
    "option name UCI_Variant type combo default chess var chess var breakthrough\nuciok"
)


def say(text: str) -> None:
    print(text, flush=True)


def misbehave(behaviour: str) -> None:
    """What happens when a move is wanted."""
    if behaviour == "slow":
        time.sleep(60)
    elif behaviour == "dies":
        print("first line\nout of luck", file=sys.stderr)
        sys.exit(3)
    elif behaviour == "garbage":
        say("\x1b[2J well, well")
    elif behaviour == "endless":
        sys.stdout.write("x" * 3_000_000)
    elif behaviour == "floods":
        while True:
            say("info depth 1")


def gtp(behaviour: str, moves: Iterator[str], number: str, command: str, rest: list[str]) -> None:
    answers = {"protocol_version": "2", "name": "Fake", "version": "1", "list_commands": "\n".join(COMMANDS)}
    if command == "genmove":
        misbehave(behaviour)
        answers["genmove"] = next(moves)
    if behaviour == "refuses" and command == "play":
        say(f"?{number} illegal move\n")
    elif behaviour == "old" and command == "protocol_version":
        say(f"={number} 1\n")
    else:
        say(f"={number} {answers.get(command, '')}\n")


def uci(behaviour: str, moves: Iterator[str], command: str) -> None:
    if command == "uci":
        say(UCI)
    elif command == "isready":
        say("readyok")
    elif command == "go":
        misbehave(behaviour)
        say("info string of no use\ninfo depth 7 seldepth 9 score cp -35 nodes 1234 pv a")
        say(f"bestmove {next(moves)} ponder x")


def main() -> None:
    protocol, behaviour, log, *given = sys.argv[1:]
    moves = iter(given)
    if behaviour == "deaf":
        time.sleep(60)
    with open(log, "a", encoding="utf-8") as told:
        for line in sys.stdin:
            print(line.strip(), file=told, flush=True)
            words = line.split()
            if protocol == "uci":
                uci(behaviour, moves, words[0])
            else:
                gtp(behaviour, moves, words[0], words[1] if len(words) > 1 else "", words[2:])


if __name__ == "__main__":
    main()
