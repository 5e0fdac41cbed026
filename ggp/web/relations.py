"""What a text is made of: an outline of its names, and a picture of which relation uses which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from gdl.dependencies import DOES, TRUE, Dependencies
from gdl.domains import Domains
from gdl.laws.keywords import ARITY
from gdl.normalize import normalize
from gdl.rules import Relation
from gdl.ruleset import Ruleset
from gdl.terms import arguments, kif
from ggp.lsp.knowledge import named
from ggp.lsp.words import Words
from ggp.web.fields import Json

_DRAWN = 150
"""Relations that are drawn: more than that nobody can follow."""
_SWEEPS = 4
"""How often the relations of each column are put in order, there and back."""


def outline(ruleset: Ruleset, *, is_whole: bool) -> list[dict[str, Json]]:
    """The names of a text in their order: roles, relations, and fluents and moves where the text `is_whole`."""
    words = Words.of(ruleset.source.text)
    found: list[dict[str, Json]] = [
        {"what": "role", "name": kif(arguments(rule.head)[0]), "at": rule.at}
        for rule in ruleset.by_relation.get(("role", 1), ())
    ]
    for (name, arity), rules in ruleset.by_relation.items():
        what = "language" if ARITY.get(name) == arity else "relation"
        at = min((rule.at for rule in rules), default=-1)
        found.append({"what": what, "name": name, "arity": arity, "rules": len(rules), "at": at})
    if is_whole:
        for what, (name, arity), _ in named(ruleset, Domains(map(normalize, ruleset.rules))):
            if what != "relation":
                at = next((word.at for word in words.givers(name)), -1)
                found.append({"what": what, "name": name, "arity": arity, "at": at})
    for one in found:
        one["line"] = ruleset.source.place(one["at"]).line if one["at"] >= 0 else None
    return sorted(found, key=lambda one: one["at"])


def picture(ruleset: Ruleset) -> dict[str, Json] | None:
    """The relations in columns, each to the right of those that it uses; None where there are too many to be drawn."""
    uses = ruleset.dependencies
    nodes = sorted(set(uses.positive) | {used for head in uses.positive for used in uses.successors(head)})
    if len(nodes) > _DRAWN:
        return None
    columns = _columns(uses, nodes)
    rows = _rows(uses, columns)
    number = {node: n for n, node in enumerate(nodes)}
    return {
        "nodes": [
            {
                "name": name, "arity": arity, "column": columns[name, arity], "row": rows[name, arity],
                "stratum": uses.strata.get((name, arity), 0), "kind": _kind(uses, (name, arity)),
                "recursive": (name, arity) in uses.recursive,
                "at": min((rule.at for rule in ruleset.by_relation.get((name, arity), ())), default=-1),
            }
            for name, arity in nodes
        ],
        "edges": [
            {"from": number[head], "to": number[used], "negative": used in uses.negative[head]}
            for head in sorted(uses.positive)
            for used in uses.successors(head)
        ],
    }  # fmt: skip


def _kind(uses: Dependencies, node: Relation) -> str:
    """What a relation depends on, directly or through others."""
    if node == DOES or node in uses.on_moves:
        return "moves"
    return "state" if node == TRUE or node in uses.on_state else "fixed"


def _columns(uses: Dependencies, nodes: Iterable[Relation]) -> dict[Relation, int]:
    """Each relation right of all that it uses, but for those that use it in turn; and right of all lower strata."""
    columns = {node: 0 for node in nodes if node not in uses.component_of}
    groups = sorted(uses.components, key=lambda group: uses.strata[group[0]])  # stable: each behind what it uses
    stratum, first = 0, 0
    for group in groups:
        if uses.strata[group[0]] > stratum:
            stratum, first = uses.strata[group[0]], 1 + max(columns.values(), default=-1)
        used = [columns[other] for member in group for other in uses.successors(member) if other in columns]
        columns |= dict.fromkeys(group, max([first, *(1 + column for column in used)]))
    return columns


def _rows(uses: Dependencies, columns: Mapping[Relation, int]) -> dict[Relation, int]:
    """The places of relations in their columns: near those that they use and that use them, so that few lines cross."""
    users: dict[Relation, list[Relation]] = {}
    for head in uses.positive:
        for used in uses.successors(head):
            users.setdefault(used, []).append(head)
    listed: list[list[Relation]] = [[] for _ in range(1 + max(columns.values(), default=-1))]
    for node, column in sorted(columns.items()):
        listed[column].append(node)
    rows = {node: n for column in listed for n, node in enumerate(column)}
    for sweep in range(_SWEEPS):
        for nodes in listed if sweep % 2 == 0 else reversed(listed):
            nodes.sort(key=lambda node: _middle(rows, [*uses.successors(node), *users.get(node, [])], rows[node]))
            rows |= {node: n for n, node in enumerate(nodes)}
    return rows


def _middle(rows: Mapping[Relation, int], others: Sequence[Relation], default: float) -> float:
    return fmean(rows[other] for other in others) if others else default
