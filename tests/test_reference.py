"""The plain UCD by itself: the paper's first figure, what it does with ends, clocks and engines, and perfect play."""

import math
import threading
from typing import Any, ClassVar

import pytest

from gdl import load, parse_term
from gdl.terms import Term, kif
from ggp.machines.auto import AutoMachine
from ggp.machines.machine import JointMove, Machine, Settled, Situation
from ggp.search.formulas import Edge, Node
from ggp.search.reference import Luck, RandomPlay, ReferenceSearch
from ggp.search.settings import SearchSettings, uct
from tests.compiled import compiled
from tests.conftest import Open
from tests.helpers import GAMES, terms
from tests.search_checks import INF

ALL = SearchSettings(d1=0, d2=0, d3=0, update="all", c=30)
SIMPLE = [
    SearchSettings(d1=a, d2=b, d3=c, c=30) for a, b, c in ((0, 0, 0), (1, 0, 1), (1, 0, 0), (INF, 0, 0), (INF, 0, 1))
]


class Figure1(Settled):
    """The game of figure 1: left or right, then an end worth 50; from the right also one worth 80 in the mean."""

    roles = ("me", "random")
    edges: ClassVar = {"root": {"left": "l", "right": "r"}, "l": {"on": "50"}, "r": {"left": "50", "right": "80"}}
    outcomes = (40, 90, 90, 90, 90)

    def situation(self, position: str) -> Situation:
        stay = (parse_term("stay"),)
        if position in self.edges:
            return Situation(False, (terms(*self.edges[position]), stay), ((), ()))
        if position == "80":
            return Situation(False, (stay, terms(*(f"d{i}" for i in range(5)))), ((), ()))
        worth = 50 if position == "50" else self.outcomes[int(position[1:])]
        return Situation(True, ((), ()), ((worth,), (0,)))

    def next(self, position: str, joint: JointMove) -> str:
        return kif(joint[1]) if position == "80" else self.edges[position][kif(joint[0])]


def figure_1(settings: SearchSettings, seed: int) -> tuple[ReferenceSearch, dict[str, Edge]]:
    """The situation of figure 1 (a): twice the end worth 50, twice the other with bad luck; its mean is 40."""
    search = ReferenceSearch(Figure1(), "root", settings, seed)  # type: ignore[arg-type]
    nodes: dict[str, Node] = {"root": search.root, **{name: Node(name) for name in ("l", "r", "50", "80")}}
    search.table.update(nodes)
    made = {
        f"{a}-{b}": Edge(nodes[a], terms(move, "stay"), [0.0, 0.0], [0.0, 0.0])
        for a, moves in Figure1.edges.items() for move, b in moves.items()
    }  # fmt: skip
    for name in ("root", "l", "r"):
        nodes[name].queue = (
            list(reversed(terms(*Figure1.edges[name]))) if name == "r" else list(terms(*Figure1.edges[name]))
        )
    if settings.update == "all":  # here payoffs reach edges that were not descended
        for name, e in made.items():
            e.end = nodes[name.split("-")[1]]
            e.origin.edges.append(e)
            e.end.parents.append(e)
        nodes["r"].edges.reverse()
    for path, end, payoff in (
        (("root-l", "l-50"), "50", 50.0), (("root-r", "r-80"), "80", 40.0),
        (("root-l", "l-50"), "50", 50.0), (("root-r", "r-80"), "80", 40.0),
    ):  # fmt: skip
        search._update([made[name] for name in path], nodes[end], (payoff, 0.0))
    return search, made


def test_figure_1_update_all_stays_on_the_wrong_edge() -> None:
    search, made = figure_1(ALL, seed=1)
    left, right = made["root-l"], made["root-r"]
    assert (left.n, left.total[0]) == (2, 100)
    assert (right.n, right.total[0]) == (4, 180)
    before = made["r-80"].n
    for i in range(1, 101):
        assert search.simulate()
        assert (left.n, left.total[0] / left.n) == (2 + i, 50)
        assert (right.n, made["r-80"].n) == (4 + i, before)


@pytest.mark.parametrize("settings", SIMPLE, ids=lambda s: s.label)
def test_figure_1_update_descent_finds_the_right_edge(settings: SearchSettings) -> None:
    for seed in range(10):
        search, made = figure_1(settings, seed)
        for _ in range(1000):
            assert search.simulate()
        assert made["root-r"].n > 900 > 3 * made["root-l"].n
        assert made["r-80"].n > made["r-50"].n


def test_ties_are_broken_evenly() -> None:
    luck = Luck(3)
    picks = [luck.best([1.0, 5.0, 5.0, 2.0, 5.0]) for _ in range(6000)]
    assert set(picks) == {1, 2, 4}
    assert all(abs(picks.count(i) - 2000) < 5 * math.sqrt(6000 * 2 / 9) for i in (1, 2, 4))
    assert [Luck(0).below(2**32), Luck(1).below(2**32)] == [0xE220A839, 0x910A2DEC]  # splitmix64's first words


def test_without_transpositions_positions_are_not_shared() -> None:
    machine = compiled("nim")
    tree = ReferenceSearch(machine, machine.initial(), uct(), seed=1)
    dag = ReferenceSearch(machine, machine.initial(), SearchSettings(), seed=1)
    assert all([tree.simulate(), dag.simulate()] == [True, True] for _ in range(60))
    assert shares(dag.root) and not shares(tree.root)


def shares(root: Node) -> bool:
    """Whether a node can be reached in two ways."""
    seen, waiting = {root}, [root]
    while waiting:
        for e in waiting.pop().edges:
            if e.end in seen:
                return True
            if e.end is not None:
                seen.add(e.end)
                waiting.append(e.end)
    return False


def test_an_end_has_nothing_to_search() -> None:
    machine = compiled("nim")
    position = machine.initial()
    while not machine.situation(position).terminal:
        position = machine.next(position, tuple(moves[0] for moves in machine.situation(position).legal))
    search = ReferenceSearch(machine, position, SearchSettings(), seed=1)
    assert not search.simulate()
    assert search.moves(0) == []


def test_stop_leaves_the_graph_as_it_was() -> None:
    """Wherever within a simulation it comes."""
    machine = compiled("connect_four")
    search = ReferenceSearch(machine, machine.initial(), SearchSettings(), seed=1)
    for _ in range(20):
        assert search.simulate()
    before, nodes = search.moves(0), len(search.table)

    class Late(threading.Event):
        left = 0

        def is_set(self) -> bool:
            self.left -= 1
            return self.left < 0

    for asked in range(6):
        stop = Late()
        stop.left = asked
        assert not search.simulate(stop)
        assert (search.moves(0), len(search.table)) == (before, nodes)
    assert search.simulate(threading.Event())
    assert sum(visits for _, visits, _ in search.moves(0)) == 21


def test_depth_1_is_flat() -> None:
    machine = compiled("nim")
    search = ReferenceSearch(machine, machine.initial(), SearchSettings(d1=0, d3=0, depth=1), seed=2)
    for _ in range(60):
        assert search.simulate()
    assert all(e.end is not None and not e.end.edges for e in search.root.edges)
    assert sum(e.n for e in search.root.edges) == 60


# ---- playouts of its own --------------------------------------------------------------------------------------------

ONE_MOVE_WINS = terms("(marked 1 1 x)", "(marked 1 2 x)", "(marked 2 1 o)", "(marked 2 2 o)", "(control x)")


def best(search: ReferenceSearch, role: int) -> str:
    return kif(max(search.moves(role), key=lambda m: (m[1], m[2]))[0])


def check_finds_the_win(machine: Machine[Any]) -> None:
    for settings in (SearchSettings(), ALL, uct(), SearchSettings(playouts=4)):
        search = ReferenceSearch(machine, machine.position(ONE_MOVE_WINS), settings, seed=3)
        for _ in range(80):
            assert search.simulate()
        assert best(search, 0) == "(mark 1 3)"
        mean = {kif(move): mean for move, _, mean in search.moves(0)}
        assert mean["(mark 1 3)"] == 100 and len(mean) == 5
        assert sum(visits for _, visits, _ in search.moves(0)) >= 80


def test_on_a_circuit_playouts_go_step_by_step() -> None:
    check_finds_the_win(compiled("tic_tac_toe"))


def test_on_prolog_playouts_run_inside_it(prolog: Open) -> None:
    check_finds_the_win(prolog(load(GAMES / "tic_tac_toe.kif")))


def test_while_the_circuit_is_compiled() -> None:
    """A search may begin on Prolog and end on the circuit."""
    machine = AutoMachine(load(GAMES / "tic_tac_toe.kif"))
    try:
        check_finds_the_win(machine)
        machine.wait()
        check_finds_the_win(machine)
        assert not any(event.is_trouble for event in machine.history)
    finally:
        machine.close()


def test_the_same_seed_gives_the_same_search(prolog: Open) -> None:
    machine = prolog(load(GAMES / "roshambo.kif"))

    def search(seed: int) -> list[tuple[Term, int, float]]:
        found = ReferenceSearch(machine, machine.initial(), SearchSettings(), seed)
        for _ in range(60):
            assert found.simulate()
        return found.moves(0)

    assert search(1) == search(1) != search(2)


def test_a_playout_without_an_end() -> None:
    """One role gets nothing for it, several share."""
    lonely, crowd = compiled("eight_puzzle"), compiled("connect_four")
    short = SearchSettings(step_limit=3)
    assert RandomPlay(lonely, short, 1).playout(lonely.initial()) == [0]
    assert RandomPlay(crowd, short, 1).playout(crowd.initial()) == [50, 50]
