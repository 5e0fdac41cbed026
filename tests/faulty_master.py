"""A game master with the bad manners of real ones: it plays other moves than players say, retries, loses STOPs, delays.

Also a tool of its own, for long runs against a player that is already there:

  python -m tests.faulty_master http://localhost:9147 --matches 1000
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from gdl import Ruleset, load
from gdl.ruleset import CHANCE
from ggp.core.seeds import split_seed
from ggp.machines import PrologMachine
from ggp.match.chronicle import begin, new_identity
from ggp.match.client import Address, send
from ggp.match.faults import Fault
from ggp.match.master import GameMaster, MatchSettings, MatchStoppedError
from ggp.match.messages import Info
from ggp.match.reply import ClientError
from ggp.match.seats import Answer, Clocks, RemoteSeat, Scene, Seat
from ggp.match.table import make_seats, specs_for
from ggp.players.specs import is_address

CLOCKS = Clocks(start=5, play=1, allowance=1.0)


@dataclass
class Ill:
    """How often the master does what, each a chance from 0 to 1, and what came of it."""

    substitute: float = 0.1
    """Another legal move is played than the player said."""
    retry: float = 0.1
    """A PLAY is sent twice, the second while the first is unanswered."""
    lose_stop: float = 0.1
    abandon: float = 0.05
    """The match is aborted in the middle."""
    delay: float = 0.05
    """The master sleeps for a moment before it goes on."""
    steps: int = 10
    """Joint moves after which a match is given up, so that long games do not take all the time."""
    happened: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    """What the player did wrong; to stay empty."""


class IllSeat:
    """A seat whose player is treated badly."""

    is_remote = True

    def __init__(self, inner: RemoteSeat, role: int, generator: random.Random, ill: Ill) -> None:
        self.name = inner.name
        self._inner, self._role, self._generator, self._ill = inner, role, generator, ill

    def _happens(self, what: str) -> bool:
        does: bool = self._generator.random() < getattr(self._ill, what)
        self._ill.happened[what] += does
        return does

    def preview(self, seconds: int, /) -> None:
        self._inner.preview(seconds)

    def start(self, scene: Scene, /) -> Fault | None:
        return self._inner.start(scene)

    def play(self, scene: Scene, /) -> Answer:
        if self._happens("delay"):
            time.sleep(0.2)
        again: list[Answer] = []
        retrying = self._happens("retry")
        thread = threading.Thread(target=lambda: again.append(self._inner.play(scene)))
        if retrying:
            thread.start()
        answer = self._inner.play(scene)
        if retrying:
            thread.join()
            if (again[0].move, again[0].fault) != (answer.move, answer.fault):
                self._ill.faults.append(f"two answers to one PLAY: {again[0]} and {answer}")
        if answer.fault is None and self._happens("substitute"):
            return Answer(self._generator.choice(scene.situation.legal[self._role]))
        return answer

    def stop(self, scene: Scene, /) -> Fault | None:
        if self._happens("lose_stop"):
            return self._inner.abort() if self._generator.random() < 0.5 else None
        return self._inner.stop(scene)

    def abort(self) -> Fault | None:
        return self._inner.abort()


def play_badly(address: Address, game: str, ruleset: Ruleset, seed: int, ill: Ill) -> bool:
    """Play one match against a player, in a role that hangs on the seed; false if the player was busy with a lost one."""
    if not _is_free(address):
        ill.happened["waited for a lost match"] += 1
        send(address, f"( ABORT {_last.get(address, 'none')} )", 2)
        if not _is_free(address):
            ill.faults.append(f"busy after ABORT of {_last.get(address)}")
            return False
    generator = random.Random(split_seed(seed, "ill"))
    identity = new_identity(game, seed)
    _last[address] = identity.match_id
    deciding = [role for role in ruleset.roles if role != CHANCE]
    players = ["random"] * len(deciding)
    players[seed % len(deciding)] = str(address)
    specs = specs_for(ruleset, players)
    with closing(PrologMachine(ruleset)) as machine:
        seats: list[Seat] = [
            IllSeat(seat, number, generator, ill) if isinstance(seat, RemoteSeat) else seat
            for number, seat in enumerate(make_seats(ruleset, machine, specs, identity.match_id, CLOCKS, seed))
        ]
        chronicle = begin(identity, ruleset, [seat.name for seat in seats], specs, start_clock=CLOCKS.start,
                          play_clock=CLOCKS.play, scrambled=False, place=None, warn=ill.faults.append)  # fmt: skip
        settings = MatchSettings(CLOCKS, seed, ill.steps)
        abandoned = generator.randrange(6) if generator.random() < ill.abandon else None
        try:
            with GameMaster(ruleset, machine, seats, chronicle, settings) as master:
                for moment in master.moments():
                    if moment.number == abandoned:
                        ill.happened["abandon"] += 1
                        raise MatchStoppedError
        except MatchStoppedError:
            pass
    ours = [number for number, spec in enumerate(specs) if is_address(spec)]
    for each in chronicle.record.more["x-faults"]:
        if ruleset.roles.index(each["role"]) in ours:
            ill.faults.append(f"{identity.match_id}: {each}")
    return True


_last: dict[Address, str] = {}
"""The id of the last match with each player: what a lost STOP leaves behind must be ended by its id."""


def _is_free(address: Address) -> bool:
    try:
        return "available" in send(address, Info().text(), 1).text
    except ClientError:
        return False


def endure(address: Address, games: Sequence[Path], matches: int, seed: int, ill: Ill) -> None:
    """Play that many matches, the games in turn."""
    loaded: dict[Path, Ruleset] = {}
    for number in range(matches):
        path = games[number % len(games)]
        ruleset = loaded.setdefault(path, load(path))
        play_badly(address, path.stem, ruleset, split_seed(seed, number), ill)


def memory(pid: int) -> int:
    """Bytes of a process and all its children that are resident."""
    total, todo = 0, [pid]
    while todo:
        one = todo.pop()
        try:
            status = Path(f"/proc/{one}/status").read_text()
            tasks = [task / "children" for task in Path(f"/proc/{one}/task").iterdir()]
            todo += [int(child) for task in tasks for child in task.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS"))
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ill = Ill()
    games = sorted((Path(__file__).resolve().parent.parent / "games").glob("*.kif"))
    endure(Address.parse(options.player), games, options.matches, options.seed, ill)
    print(dict(ill.happened), *ill.faults, sep="\n")


if __name__ == "__main__":
    main()
