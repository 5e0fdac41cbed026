"""What a command printed as a short answer with a structure."""

from __future__ import annotations

import json
from typing import Any

_LISTED = 40
"""Items of a list that are shown, and of a play, whose end is worth as much as its beginning, twice as many."""
_LETTERS = 20_000


def listed(items: list[Any], most: int = _LISTED) -> dict[str, Any]:
    """The first items, and how many there are."""
    return {"count": len(items), "first": items[:most]}


def cut(text: str) -> dict[str, Any]:
    """A text, or its first lines."""
    if len(text) <= _LETTERS:
        return {"text": text, "complete": True}
    return {"text": text[: text.rfind("\n", 0, _LETTERS) + 1], "complete": False}


def check(out: str) -> dict[str, Any]:
    """Errors, warnings and what became of assertions."""
    (report,) = json.loads(out)
    problems = report["problems"]
    return {
        "errors": report["errors"],
        "warnings": len(problems) - report["errors"],
        "problems": problems[:_LISTED],
        "plays": report["plays"],
        "assertions": [_assertion(verdict) for verdict in report["assertions"]],
    }


def _assertion(verdict: dict[str, Any]) -> dict[str, Any]:
    line = verdict["line"]
    return {**verdict, "line": line[-2 * _LISTED :], "steps": len(line)}


def board(out: str) -> dict[str, Any]:
    """The picture of a position and what holds there."""
    found = json.loads(out)
    return {"terminal": found["terminal"], "holds": listed(found["holds"], 5 * _LISTED), "board": found["board"]}


def legal(out: str) -> dict[str, Any]:
    """Who may do what in a position, and the goals."""
    found = json.loads(out)
    moves = {role: listed(own, 5 * _LISTED) for role, own in found["legal"].items()}
    return {"terminal": found["terminal"], "legal": moves, "goals": found["goals"]}


def perft(out: str) -> dict[str, Any]:
    """The levels of a tree."""
    return {"levels": json.loads(out)}


def why(out: str) -> dict[str, Any]:
    """The support of an atom; a long one is cut."""
    found: dict[str, Any] = json.loads(out)
    if len(out) > _LETTERS:
        for reason in found["because"]:
            reason["because"] = [{**inner, "because": []} for inner in reason["because"][:_LISTED]]
        found["because"] = found["because"][:_LISTED]
    return found


def search(out: str) -> dict[str, Any]:
    """The best moves of each role, and the line that is expected."""
    found = json.loads(out)
    keys = ("engine", "policy", "chance", "expected", "line", "ending", "solved", "simulations", "nodes", "seconds")
    roles = [{"role": own["role"], "moves": listed(own["moves"], 10)} for own in found["roles"]]
    return {"roles": roles, **{key: found[key] for key in keys}}


def match(out: str) -> dict[str, Any]:
    """The moves and the result of a match."""
    found = json.loads(out)
    return {
        "players": found["players"],
        "steps": len(found["moves"]),
        "moves": found["moves"][-2 * _LISTED :],
        "ending": found["ending"],
        "goals": found["goals"],
        "faults": found["faults"],
    }
