"""What a search found, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl import Ruleset, kif
from gdl.ruleset import CHANCE
from ggp.analysis.looking import Look, rate
from ggp.analysis.outcomes import Outcome
from ggp.analysis.rows import Row
from ggp.search.inside import joint_text, numbers_text

HIDDEN = "in this game of hidden information, the search knows the whole position; a player in a match does not"


def text(ruleset: Ruleset, found: Look, engine: str, top: int) -> str:
    """Tables, the line that is expected, what the graph is like, and what it cost."""
    roles = ruleset.roles
    lines = [] if found.engine == "circuit" else [engine]
    for role, rows in found.tables.items():
        lines += _table(roles[role], rows, top)
    if found.outcomes:
        lines += _chance(roles, found.outcomes, top)
        for role in dict.fromkeys(role for outcome in found.outcomes for role in outcome.then):
            lines += _after(role, roles, found.outcomes, top)
    if found.expected is not None:
        values = zip(roles, found.expected, strict=True)
        lines.append("expected: " + "  ".join(f"{r} {numbers_text([v])}" for r, v in values if r != CHANCE))
    return "\n".join([*lines, *_summary(ruleset, found, engine)]) + "\n"


def _table(role: str, rows: Sequence[Row], top: int) -> list[str]:
    width = _width("move", [kif(row.move) for row in rows[:top]])
    lines = [role, f"  {'move':{width}} {_HEAD}"]
    lines += [f"{_mark(row)} {kif(row.move):{width}} {_numbers(row)}".rstrip() for row in rows[:top]]
    return lines + _more(len(rows) - top)


_HEAD = f"{'visits':>12} {'mean':>7} {'95 % interval':>15}  proven"


def _mark(row: Row) -> str:
    return "*" if row.chosen else " "


def _numbers(row: Row) -> str:
    proven = "" if row.proven is None else f"{row.proven:g}" + (f" in {row.length}" if row.length else "")
    return f"{row.visits:>12,} {row.mean:>7.2f} {f'{row.low:.1f} – {row.high:.1f}':>15}  {proven}"


def _more(left: int) -> list[str]:
    return [f"  … and {left} more"] if left > 0 else []


def _width(head: str, texts: Sequence[str]) -> int:
    return max([len(head), *map(len, texts)])


def _chance(roles: Sequence[str], outcomes: Sequence[Outcome], top: int) -> list[str]:
    """The outcomes with their probabilities, and what each is worth to the players."""
    players = [number for number, role in enumerate(roles) if role != CHANCE]
    shown = outcomes[:top]
    width = _width("outcome", [kif(outcome.move) for outcome in shown])
    widths = {number: max(7, len(roles[number])) for number in players}
    head = " ".join(f"{roles[number]:>{widths[number]}}" for number in players)
    lines = ["chance: no player chooses here", f"  {'outcome':{width}} {'probability':>12} {'visits':>12} {head}  proven"]
    for outcome in shown:
        goals = outcome.goals
        worth = " ".join(f"{'' if goals is None else format(goals[n], '.2f'):>{widths[n]}}" for n in players)
        sure = "yes" if outcome.proven else ""
        numbers = f"{100 * outcome.probability:>10.1f} % {outcome.visits:>12,}"
        lines.append(f"  {kif(outcome.move):{width}} {numbers} {worth}  {sure}".rstrip())
    return lines + _more(len(outcomes) - top)


def _after(role: int, roles: Sequence[str], outcomes: Sequence[Outcome], top: int) -> list[str]:
    """What a role does next, after each outcome."""
    shown = [(kif(o.move), o.then[role][:top]) for o in outcomes[:top] if role in o.then]
    after = _width("after", [move for move, _ in shown])
    width = _width("move", [kif(row.move) for _, rows in shown for row in rows])
    lines = [f"{roles[role]}, who decides next", f"  {'after':{after}}   {'move':{width}} {_HEAD}"]
    for outcome, rows in shown:
        for number, row in enumerate(rows):
            first = outcome if number == 0 else ""
            lines.append(f"  {first:{after}} {_mark(row)} {kif(row.move):{width}} {_numbers(row)}".rstrip())
    return lines


def _summary(ruleset: Ruleset, found: Look, engine: str) -> list[str]:
    """The expected line, what the graph is like, and what it cost."""
    graph = [f"{found.nodes:,} nodes", f"{found.transpositions:,} transpositions met"]
    if found.deepest is not None and found.memory is not None:
        graph += [f"deepest {found.deepest}", f"{found.memory / 2**20:.1f} MB", f"recycled {found.recycled} times"]
    return [
        "line: " + "  ".join(joint_text(joint) for joint in found.line),
        *([f"after the line {found.ending}"] if found.ending else []),
        *(["solved: the exact value is known"] if found.solved else []),
        *([f"note: {HIDDEN}"] if ruleset.has_hidden_information else []),
        *([f"engine: {engine}"] if found.engine == "circuit" else []),
        f"playouts: {found.judged.text()}",
        "graph: " + ", ".join(graph),
        f"time: {found.simulations:,} simulations in {found.seconds:.3f} s, {rate(found):,.0f} a second",
    ]


def as_data(ruleset: Ruleset, found: Look, engine: str) -> dict[str, Any]:
    """All that was found."""
    roles = ruleset.roles
    expected = found.expected
    return {
        "settings": found.judged.settings.label,
        "engine": found.engine,
        "engine_why": engine,
        "policy": found.judged.settings.policy,
        "policy_why": found.judged.why,
        "c": found.judged.settings.c,
        "playouts": found.judged.settings.playouts,
        "roles": [{"role": roles[role], "moves": [_row(row) for row in rows]} for role, rows in found.tables.items()],
        "chance": [_outcome(roles, outcome) for outcome in found.outcomes],
        "expected": None if expected is None else dict(zip(roles, expected, strict=True)),
        "line": [list(map(kif, joint)) for joint in found.line],
        "ending": found.ending,
        "solved": found.solved,
        "hidden_information": ruleset.has_hidden_information,
        "simulations": found.simulations,
        "nodes": found.nodes,
        "transpositions": found.transpositions,
        "deepest": found.deepest,
        "memory_bytes": found.memory,
        "recycled": found.recycled,
        "seconds": found.seconds,
        "simulations_per_second": rate(found) if found.seconds else None,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "move": kif(row.move),
        "visits": row.visits,
        "mean": row.mean,
        "interval": [row.low, row.high],
        "proven": row.proven,
        "length": (row.length or None) if row.proven is not None else None,
        "chosen": row.chosen,
    }


def _outcome(roles: Sequence[str], outcome: Outcome) -> dict[str, Any]:
    goals = outcome.goals
    return {
        "move": kif(outcome.move),
        "probability": outcome.probability,
        "visits": outcome.visits,
        "goals": None if goals is None else dict(zip(roles, goals, strict=True)),
        "proven": outcome.proven,
        "then": [{"role": roles[role], "moves": [_row(row) for row in rows]} for role, rows in outcome.then.items()],
    }
