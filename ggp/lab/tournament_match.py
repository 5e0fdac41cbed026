"""Play pairs of matches of a tournament."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdl import Ruleset, Source, load
from gdl.ruleset import CHANCE
from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.lab.plan import Json, Texts, digest
from ggp.machines import Limits, Machine, make_machine
from ggp.machines.circuit import CircuitMachine
from ggp.machines.plays import Ending
from ggp.match.builtin import make_player
from ggp.match.chronicle import begin, new_identity
from ggp.match.master import GameMaster, MatchSettings
from ggp.match.seats import Clocks
from ggp.match.table import make_seats
from ggp.players.match import play_match
from ggp.players.specs import is_address, is_specialist

_KEPT = 4
"""Machines that a thread keeps."""
_own = threading.local()


@dataclass(frozen=True)
class Deal:
    """Who plays which role of a match."""

    owners: tuple[int | None, ...]
    """For each role the player, 0 or 1; None for chance."""
    shift: int
    """0 for the first match of a pair, 1 for the second."""
    seed: int
    """Of the pair."""


@dataclass(frozen=True)
class Played:
    """A match: the goals of its roles if it came to an end, and the faults of each."""

    goals: tuple[int, ...] | None
    faults: tuple[int, ...]


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    """Pairs of matches with the same seed: roles are dealt to both players in turn, then the other way round."""
    ruleset, machine = opened(work["machine"], work["game"], texts[work["game"]], Limits(*work["limits"]))
    deciding = [number for number, role in enumerate(ruleset.roles) if role != CHANCE]
    if not deciding:
        raise UsageError(f"{work['game']}: nobody decides anything in this game")
    owners = [{role: (place + shift) % 2 for place, role in enumerate(deciding)} for shift in (0, 1)]
    deals = [
        Deal(
            tuple(owner.get(role) for role in range(len(ruleset.roles))),
            shift,
            _seed(work, number),
        )
        for number in work["rounds"]
        for shift, owner in enumerate(owners)
    ]
    circuit = machine.compiled(0)
    if work["lockstep"] and circuit is not None:
        matches = _in_lockstep(work, circuit, deals)
    else:
        matches = [_play(work, ruleset, machine, deal) for deal in deals]
    return [_pair(deals[i : i + 2], matches[i : i + 2]) for i in range(0, len(deals), 2)]


def _seed(work: Mapping[str, Json], number: int) -> int:
    return split_seed(work["seed"], work["game"], number, *sorted(work["players"]))


def _pair(deals: Sequence[Deal], matches: Sequence[Played]) -> dict[str, Json]:
    """What two matches with swapped roles add up to."""
    goals: list[list[int]] = [[], []]
    faults = [0, 0]
    points: list[float] = []
    for deal, match in zip(deals, matches, strict=True):
        taken: list[list[int]] = [[], []]
        for role, player in enumerate(deal.owners):
            if player is not None:
                faults[player] += match.faults[role]
                taken[player] += [match.goals[role]] if match.goals is not None else []
        goals = [goals[player] + taken[player] for player in (0, 1)]
        if len([player for player in deal.owners if player is not None]) > 1:
            points.append(_points(*taken) if match.goals is not None else 0.5)
    unfinished = sum(match.goals is None for match in matches)
    if not points:  # they played alone: whose goal was higher?
        points = [0.5 if unfinished else _points(*goals)]
    means = [sum(own) / len(own) if own else 0.0 for own in goals]
    return {"points": points, "goals": means, "unfinished": unfinished, "faults": faults}


def _points(first: Sequence[int], second: Sequence[int]) -> float:
    """1, ½ or 0, by the mean goals."""
    a, b = sum(first) / len(first), sum(second) / len(second)
    return 0.5 if a == b else float(a > b)


def _play(work: Mapping[str, Json], ruleset: Ruleset, machine: Machine[Any], deal: Deal) -> Played:
    """One match. Chance is the same in both matches of a pair, what players draw is not: equal players differ, too."""
    specs = [CHANCE if owner is None else work["players"][owner] for owner in deal.owners]
    if any(is_address(spec) or is_specialist(spec) for spec in specs):
        return _play_on_clocks(work, ruleset, machine, specs, deal.seed)
    players = [
        make_player(spec, split_seed(deal.seed, role) if role == CHANCE else split_seed(deal.seed, role, deal.shift))
        for role, spec in zip(ruleset.roles, specs, strict=True)
    ]
    try:
        last = None
        for last in play_match(machine, players, work["steps"]):  # noqa: B007 (the last one counts)
            pass
    finally:
        for player in players:
            player.close()
    assert last is not None
    return Played(last.goals if last.ending is Ending.TERMINAL else None, (0,) * len(players))


def _in_lockstep(work: Mapping[str, Json], machine: CircuitMachine, deals: Sequence[Deal]) -> list[Played]:
    """All matches at once; every search exactly sequential, with its graph kept from move to move."""
    from ggp.search.batch import play_matches  # numba takes a second
    from ggp.search.valuing import provide

    settings = [lockstep_settings(player) for player in work["players"]]
    provide(machine, *settings)
    seats = [[settings[owner or 0] for owner in deal.owners] for deal in deals]  # chance uses none
    seeds = [deal.seed if None in deal.owners else split_seed(deal.seed, deal.shift) for deal in deals]
    results = play_matches(machine, seats, seeds, limit=work["steps"])
    return [Played(result.goals if result.complete else None, (0,) * len(machine.roles)) for result in results]


def lockstep_settings(player: str) -> Any:
    """The settings of a player that can play in lockstep: one that searches by simulations alone. Else None.

    In lockstep one simulation follows the other on one thread, with as much memory as they need, and nobody finds out
    which playouts tell more: players who were told otherwise play by themselves.
    """
    if is_address(player) or is_specialist(player):
        return None
    own: Any = make_player(player, 0)
    settings = getattr(own, "settings", None)
    if settings is None or not settings.simulations or settings.policy == "auto":
        return None
    usual = type(own.thinking)(seconds=own.thinking.seconds)
    return settings if settings.slots in (1, type(settings).slots) and own.thinking == usual else None


def _play_on_clocks(
    work: Mapping[str, Json], ruleset: Ruleset, machine: Machine[Any], specs: list[str], seed: int
) -> Played:
    """Under the game master, which gives everybody the same clocks."""
    clocks = Clocks(work["startclock"], work["playclock"])
    identity = new_identity("tournament", seed)
    seats = make_seats(ruleset, machine, specs, identity.match_id, clocks, seed, work["scramble"])
    chronicle = begin(
        identity, ruleset, [seat.name for seat in seats], specs, start_clock=clocks.start, play_clock=clocks.play,
        scrambled=work["scramble"], place=None, warn=_warn,
    )  # fmt: skip
    faults = [0] * len(seats)
    with GameMaster(ruleset, machine, seats, chronicle, MatchSettings(clocks, seed, work["steps"])) as master:
        for moment in master.moments():
            faults = [count + (fault is not None) for count, fault in zip(faults, moment.faults, strict=True)]
            last = moment
    return Played(last.goals if last.ending is Ending.TERMINAL else None, tuple(faults))


def _warn(text: str) -> None:
    print(f"ggp: {text}", file=sys.stderr)


def opened(name: str, game: str, text: str, limits: Limits) -> tuple[Ruleset, Machine[Any]]:
    """A machine for a game, made once in each thread. All matches of a game are played on one engine."""
    kept: dict[tuple[str, str, Limits], tuple[Ruleset, Machine[Any]]] = _own.__dict__.setdefault("machines", {})
    key = name, digest(text), limits
    if key not in kept:
        if len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))[1].close()
        ruleset = load(Source(text, game))
        machine = make_machine(name, ruleset, limits, patience=math.inf)
        kept[key] = ruleset, machine.current
        for event in machine.history:
            if event.is_trouble:
                _warn(f"{game}: {event.message}")
    return kept[key]
