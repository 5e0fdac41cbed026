"""P-games as descriptions in GDL.

Every node is a number, every move from it a fact that names the node it leads to, and every node of the last level has
its result as a fact: since all ways to a node have the same sum, no sum needs to be carried along.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ggp.core.errors import UsageError
from ggp.generators.pgame import PGame

MOST_NODES = 50_000
"""A game with more nodes is not written: no player could load the description in the time that matches give."""

_HEAD = """\
; P-game of depth {depth} and branching {branching}, {share:g} % of the nodes combined, seed {seed}
;
; An artificial game: max and min move in turn, max first, {depth} moves in all. A move of max is worth 0 to 127, one of
; min -127 to 0. If the sum of all moves made is positive, max wins, 100 to 0; if it is negative, min wins; 0 is a draw.
; {nodes:,} positions, {ends:,} of them ends. With best play the result for max is {best}.
;
; Source: B. Childs, J. Brodeur, L. Kocsis, Transpositions and move groups in Monte Carlo tree search, CIG 2008.
; Conventions: nodes are numbers, 0 is the root; (arc ?m ?move ?v ?n): from node ?m the move (go ?move), worth ?v, leads
; to node ?n. All ways to a node have the same sum. (result ?n ?v ?w): an end, worth ?v to max and ?w to min.
; Made by: ggp generate p-game --depth {depth} --branching {branching} --combine {combine!r} --seed {seed}

(role max)
(role min)
(rival max min)
(rival min max)

"""
_RULES = """
(<= (move ?i)
    (arc ?m ?i ?v ?n))
(base (at 0))
(<= (base (at ?n))
    (arc ?m ?i ?v ?n))
(<= (base (control ?p))
    (role ?p))
(<= (input ?p (go ?i))
    (role ?p)
    (move ?i))
(<= (input ?p noop)
    (role ?p))

(init (at 0))
(init (control max))

; Moves

(<= (legal ?p (go ?i))
    (true (control ?p))
    (true (at ?m))
    (arc ?m ?i ?v ?n))
(<= (legal ?p noop)
    (rival ?p ?q)
    (true (control ?q)))

(<= (next (at ?n))
    (does ?p (go ?i))
    (true (at ?m))
    (arc ?m ?i ?v ?n))
(<= (next (control ?q))
    (rival ?p ?q)
    (true (control ?p)))

; The end

(<= (ends ?v ?w)
    (true (at ?n))
    (result ?n ?v ?w))
(<= over
    (ends ?v ?w))
(<= terminal
    over)

(<= (goal max ?v)
    (ends ?v ?w))
(<= (goal min ?w)
    (ends ?v ?w))
(<= (goal ?p 50)
    (role ?p)
    (not over))
"""
_RESULTS = {1: "100 0", 0: "50 50", -1: "0 100"}


def describe(game: PGame) -> str:
    """The description of a game; raises UsageError if it is too large."""
    nodes = 0
    for level in game.generate():
        nodes += len(level.scores)
        if nodes > MOST_NODES:
            raise UsageError(
                f"this P-game has more than {MOST_NODES:,} nodes, too many for a description in GDL;"
                " take less depth or branching, or combine more"
            )
    head = _HEAD.format(
        depth=game.depth, branching=game.branching, share=100 * game.combine, combine=game.combine, seed=game.seed,
        nodes=nodes, ends=game.sizes[-1], best=_RESULTS[int(game.outcomes[0][0])].split()[0],
    )  # fmt: skip
    return head + "\n".join(_facts(game)) + "\n" + _RULES


def _facts(game: PGame) -> Iterator[str]:
    values = (row for level in game.levels[:-1] for row in level.values.tolist())
    for node, (children, worth) in enumerate(zip(game.children[: game.starts[-2]].tolist(), values, strict=True)):
        for move, (child, value) in enumerate(zip(children, worth, strict=True), start=1):
            yield f"(arc {node} {move} {value} {child})"
    for node, sign in enumerate(np.sign(game.levels[-1].scores).tolist(), start=game.starts[-2]):
        yield f"(result {node} {_RESULTS[sign]})"
