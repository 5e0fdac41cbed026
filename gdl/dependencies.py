"""Which relation depends on which: strata, recursion, and what depends on `true` and on `does`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gdl.graphs import components, reachable
from gdl.rules import Relation, Rule, body_atoms, relation

TRUE: Relation = ("true", 1)
DOES: Relation = ("does", 2)


@dataclass(frozen=True)
class Dependencies:
    """The dependency graph of a set of rules. An edge leads from a head's relation to a relation in its body."""

    positive: Mapping[Relation, frozenset[Relation]]
    negative: Mapping[Relation, frozenset[Relation]]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> Dependencies:
        """Collect the edges of rules."""
        positive: dict[Relation, set[Relation]] = {}
        negative: dict[Relation, set[Relation]] = {}
        for rule in rules:
            head = relation(rule.head)
            positive.setdefault(head, set())
            negative.setdefault(head, set())
            for atom, is_positive in body_atoms(rule):
                (positive if is_positive else negative)[head].add(relation(atom))
        return cls(_frozen(positive), _frozen(negative))

    def successors(self, of: Relation) -> list[Relation]:
        """The relations that one uses directly, sorted."""
        return sorted(self.positive.get(of, frozenset()) | self.negative.get(of, frozenset()))

    @cached_property
    def components(self) -> tuple[tuple[Relation, ...], ...]:
        """Defined relations that use one another, grouped; each group stands after all that it uses."""
        found = components(sorted(self.positive), self.successors)
        return tuple(component for component in found if component[0] in self.positive)

    @cached_property
    def component_of(self) -> dict[Relation, tuple[Relation, ...]]:
        """The group of each relation."""
        return {member: component for component in self.components for member in component}

    @cached_property
    def recursive(self) -> frozenset[Relation]:
        """Relations that use themselves, directly or through others."""
        return frozenset(
            member
            for component in self.components
            for member in component
            if len(component) > 1 or member in self.successors(member)
        )

    @cached_property
    def negative_cycles(self) -> tuple[tuple[Relation, ...], ...]:
        """Groups in which a relation depends on its own negation."""
        return tuple(
            component
            for component in self.components
            if any(self.negative.get(member, frozenset()) & set(component) for member in component)
        )

    @cached_property
    def strata(self) -> dict[Relation, int]:
        """The stratum of each relation: one more than that of any relation it uses negated. Cycles count as one."""
        found: dict[Relation, int] = {}
        for component in self.components:
            level = 0
            for member in component:
                for used in self.positive.get(member, frozenset()):
                    level = max(level, found.get(used, 0))
                for used in self.negative.get(member, frozenset()):
                    level = max(level, found.get(used, -1) + 1)
            found.update(dict.fromkeys(component, level))
        return found

    def users_of(self, leaf: Relation) -> frozenset[Relation]:
        """All relations that depend on one, directly or through others."""
        users: dict[Relation, list[Relation]] = {}
        for head in self.positive:
            for used in self.successors(head):
                users.setdefault(used, []).append(head)
        return frozenset(reachable([leaf], lambda node: users.get(node, ()))) - {leaf}

    @cached_property
    def on_state(self) -> frozenset[Relation]:
        """Relations that depend on `true`."""
        return self.users_of(TRUE)

    @cached_property
    def on_moves(self) -> frozenset[Relation]:
        """Relations that depend on `does`."""
        return self.users_of(DOES)

    def dot(self) -> str:
        """The graph as Graphviz text: solid edges for use, dashed for use under negation; colours for true and does."""
        lines = ["digraph dependencies {", "  rankdir=BT; node [shape=box, style=filled, fontname=sans];"]
        nodes = sorted(set(self.positive) | {used for head in self.positive for used in self.successors(head)})
        for node in nodes:
            colour = "#ffffff"
            if node in self.on_moves or node == DOES:
                colour = "#ffd9b3"
            elif node in self.on_state or node == TRUE:
                colour = "#cfe8ff"
            lines.append(f"  {_dot_name(node)} [fillcolor={_quoted(colour)}];")
        for head in sorted(self.positive):
            for used in self.successors(head):
                style = " [style=dashed]" if used in self.negative[head] else ""
                lines.append(f"  {_dot_name(head)} -> {_dot_name(used)}{style};")
        return "\n".join([*lines, "}"])


def _frozen(edges: Mapping[Relation, set[Relation]]) -> dict[Relation, frozenset[Relation]]:
    return {head: frozenset(used) for head, used in edges.items()}


def _dot_name(name: Relation) -> str:
    return _quoted(f"{name[0]}/{name[1]}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
