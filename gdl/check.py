"""Check a description against the laws of the language: all problems at once, errors and warnings apart.

An error means that the description has no meaning. What real servers would play is a warning at most. Laws 20 to 23 are
about states that play reaches; those that need play are checked by `ggp.machines.playcheck`. Law 25, about conditions
that can never hold, is for authors and not for players: `gdl.laws.possible`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gdl.laws import dependence, keywords, names, safety
from gdl.parser import Description
from gdl.problems import Reporter, in_order
from gdl.ruleset import Ruleset

LAWS: tuple[Callable[[Ruleset, Reporter], None], ...] = (
    keywords.essentials,
    keywords.arities,
    keywords.heads,
    keywords.bodies,
    keywords.names,
    keywords.roles,
    keywords.goal_values,
    names.arities,
    names.relation_or_function,
    names.defined_and_used,
    names.case,
    names.characters,
    safety.safety,
    dependence.stratification,
    dependence.recursion,
    dependence.static_relations,
    dependence.no_does,
)


def check(description: Description) -> Ruleset:
    """The description as a ruleset that carries every problem found, in the order of the text."""
    ruleset = Ruleset(description)
    reporter = Reporter(description.source, list(description.problems))
    if description.words or not reporter.found:  # after errors of balance there is nothing to look at
        for law in LAWS:
            law(ruleset, reporter)
    return replace(ruleset, problems=in_order(reporter.found))
