"""The kernels' parts: bits that change places, the table of positions, many slots on one graph, giving up, forgetting."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.search.formulas import Edge, Node
from ggp.search.graph import Size, edges_of, inputs_of, new_graph, payoffs
from ggp.search.kernels.layout import Stage, State
from ggp.search.kernels.nodes import forget_all, new_node
from ggp.search.kernels.table import find
from ggp.search.kernels.transfer import load_lanes, save_lanes
from ggp.search.kernels.waves import begin
from ggp.search.recycling import compact, finish, mark
from ggp.search.settings import SearchSettings
from tests.compiled import compiled, compiled_text
from tests.search_checks import (
    INF,
    FastSearch,
    after_random_moves,
    compare_sight,
    compare_values,
    mirror,
)  # fmt: skip
from tests.test_search_exactness import HISTORY

SEVERAL = ["nim", "left_right", "tic_tac_toe", "roshambo", "bidding_tic_tac_toe", "eight_puzzle", "dice_race", "tron"]
DEPTHS = [(1, 0, 1), (2, 1, 0), (INF, 2, INF), (0, 0, 0)]


def searching(
    name: str, depths: tuple[float, float, float], *, slots: int, solver: bool = False, table: bool = True
) -> FastSearch:
    d1, d2, d3 = depths
    wanted = SearchSettings(d1=d1, d2=d2, d3=d3, solver=solver, transpositions=table)
    return FastSearch(compiled(name), wanted, seed=3, slots=slots)


# ---- lanes and words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [1, 8])
def test_positions_move_between_lanes_and_words(words: int) -> None:
    """Against numpy, lane by lane and bit by bit; other lanes and rows stay as they are."""
    generator = np.random.default_rng(5)
    for rows, row, lanes in ((1, 0, 1), (64, 3, 64), (65, 1, 130), (200, 7, 77), (129, 0, 512)):
        blocks = -(-lanes // (64 * words))
        memory = generator.integers(0, 2**64, (blocks, row + rows + 2, words), np.uint64)
        before = memory.copy()

        def bits(memory: np.ndarray) -> np.ndarray:  # [lanes, rows]
            raw = np.unpackbits(memory.view(np.uint8), axis=-1, bitorder="little")
            return raw.reshape(len(memory), memory.shape[1], -1).transpose(0, 2, 1).reshape(-1, memory.shape[1])

        out = np.zeros((lanes, -(-rows // 64)), np.uint64)
        save_lanes(memory, row, rows, lanes, out, np.zeros(64, np.uint64))
        saved = np.unpackbits(out.view(np.uint8), axis=1, count=rows, bitorder="little")
        assert (memory == before).all()
        assert (saved == bits(memory)[:lanes, row : row + rows]).all()

        positions = generator.integers(0, 2**64, (5, out.shape[1]), np.uint64)
        source = generator.integers(-1, 5, blocks * 64 * words).astype(np.int32)
        mask = np.zeros(blocks * words, np.uint64)
        load_lanes(memory, row, rows, source, positions, mask, np.zeros(64, np.uint64))
        want = bits(before)
        given_bits = np.unpackbits(positions.view(np.uint8), axis=1, bitorder="little")[:, :rows]
        want[source >= 0, row : row + rows] = given_bits[source[source >= 0]]
        assert (bits(memory) == want).all()
        loaded = np.unpackbits(mask.view(np.uint8), bitorder="little").astype(np.bool_)
        assert (loaded == (source >= 0)).all()


# ---- the table of positions -----------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.lists(st.integers(0, 40), max_size=60), st.booleans())
def test_a_table_finds_what_was_put_into_it(numbers: list[int], crowded: bool) -> None:
    """Also when most of its places are taken, and searches run over its end."""
    machine = compiled("tic_tac_toe")
    graph = new_graph(machine, [SearchSettings()] * 2, Size(64, 8, 8), [1, 2])
    if crowded:
        graph.head["table_mask"] = 63
    forget_all(graph, 0)
    forget_all(graph, 1)
    other = new_node(graph, 1, np.array([7], np.uint64), 0)
    known: dict[int, int] = {}
    for number in numbers:
        words = np.array([number * 0x1_0000_0001], np.uint64)
        assert find(graph, 0, words) == known.get(number, -1)
        if number not in known:
            known[number] = int(new_node(graph, 0, words, 0))
    assert sorted(known.values()) == list(range(len(known)))
    assert int(find(graph, 1, np.array([7], np.uint64))) == other
    for number in range(41):
        assert find(graph, 0, np.array([number * 0x1_0000_0001], np.uint64)) == known.get(number, -1)


def test_no_room_is_told() -> None:
    graph = new_graph(compiled("tic_tac_toe"), [SearchSettings()], Size(2, 8, 8), [1])
    forget_all(graph, 0)
    found = [int(new_node(graph, 0, np.array([i], np.uint64), 0)) for i in range(3)]
    assert found == [0, 1, -1]
    assert graph.head[0].full == 1


# ---- many slots -----------------------------------------------------------------------------------------------------


def check_at_rest(fast: FastSearch) -> dict[int, Edge]:
    """Nothing is on its way, and what the nodes keep follows from the edges."""
    g = fast.graph
    edges = mirror(fast)
    assert (fast.crew.slots.slot["stage"] == Stage.IDLE).all()
    assert (g.edge["flying"][fast.edges()] == 0).all()
    assert not (g.node[: int(g.head[0].nodes)]["state"] & State.EXPANDING).any()
    compare_values(fast, edges)
    if not fast.settings.solver:
        compare_sight(fast)
    return edges


def check_flow(fast: FastSearch, edges: dict[int, Edge]) -> None:
    """What comes into a node ends there or goes on: the sum of n over edges in = the sum of n′ + the sum of n out."""
    balance: dict[Node | None, int] = {}
    for e in edges.values():
        balance[e.end] = balance.get(e.end, 0) + e.n - e.first_n
        balance[e.origin] = balance.get(e.origin, 0) - e.n
    sources = {node: flow for node, flow in balance.items() if flow}
    assert list(sources.values()) == [-fast.done]
    assert next(iter(sources)).position == fast.graph.position[fast.root].tobytes()  # type: ignore[union-attr]


@pytest.mark.parametrize("name", SEVERAL)
def test_many_slots_add_up(name: str) -> None:
    for depths, solver in zip(DEPTHS, (False, True, False, True), strict=True):
        fast = searching(name, depths, slots=100, solver=solver)
        fast.simulate(400)
        assert fast.done == 400 or (solver and fast.graph.node[fast.root].state & State.PROVEN)
        check_flow(fast, check_at_rest(fast))


@pytest.mark.parametrize("name", ["tic_tac_toe", "left_right", "dice_race"])
def test_in_a_tree_an_edge_has_what_its_end_has(name: str) -> None:
    fast = searching(name, (0, 0, 0), slots=64, table=False)
    fast.simulate(300)
    edges = check_at_rest(fast)
    for e in edges.values():
        assert e.n == e.first_n + sum(f.n for f in e.children)
        if e.n:
            total = e.first_total[0] + sum(f.total[0] for f in e.children)
            assert e.total[0] == total
    assert sum(e.n for e in next(iter(edges.values())).origin.edges) == 300


@pytest.mark.parametrize("width", [1, 4, 64])
def test_playouts_of_a_slot_are_averaged(width: int) -> None:
    fast = FastSearch(compiled("nim"), SearchSettings(solver=False, playouts=width), 1, slots=10)
    fast.simulate(300)
    edges = check_at_rest(fast)
    check_flow(fast, edges)
    for e in edges.values():
        assert (np.array(e.total) * width / 100 % 1 == 0).all()
        assert sum(e.total) == pytest.approx(100 * e.n)


# ---- giving up ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEVERAL)
def test_cancelled_simulations_leave_no_trace(name: str) -> None:
    generator = random.Random(name)
    for depths in DEPTHS:
        fast = searching(name, depths, slots=64)
        for _ in range(3):
            fast.graph.head[0].wanted = 10**9
            for _ in range(generator.randrange(6)):
                fast.crew.wave()
            fast.crew.cancel()
            assert fast.graph.head[0].started == fast.done
            edges = check_at_rest(fast)
            if edges:
                check_flow(fast, edges)
        fast.graph.head[0].wanted = done = fast.done
        fast.simulate(50)
        assert fast.done == done + 50
        check_flow(fast, check_at_rest(fast))


FORCED = """
(role me) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal me on) (<= terminal (true (at 4)))
(<= (legal me aside) (true (at 3)))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= (next bad) (does me aside)) (<= (goal me 0) (true bad))
(<= (goal me 60) (not (true bad)))
"""


@pytest.mark.parametrize("c", [0, 40])
def test_what_was_given_up_is_tried_again(c: float) -> None:
    """An edge without a payoff comes first, also where there is no exploration to speak of."""
    fast = FastSearch(compiled_text(FORCED), SearchSettings(c=c, solver=False), 1)
    fast.graph.head[0].wanted = 10**9
    for i in range(20):
        lanes, _ = begin(*fast.crew.work)
        for _ in range(i % 3):
            lanes = fast.crew._grow(lanes)
        fast.crew.cancel()
    fast.graph.head[0].wanted = fast.graph.head[0].started
    done = fast.done
    fast.simulate(30)
    assert fast.done == done + 30
    check_flow(fast, check_at_rest(fast))
    depth = max(len(list(edges_of(fast.graph, x))) for x in range(int(fast.graph.head[0].nodes)))
    assert depth == 2 and all(fast.graph.edge[e].n > 0 for e in fast.edges())


# ---- forgetting -----------------------------------------------------------------------------------------------------


def check_links(fast: FastSearch) -> None:
    """Nodes are found by their positions, and lists of edges agree in both directions."""
    g, count = fast.graph, int(fast.graph.head[0].nodes)
    ends: dict[int, set[int]] = {x: set() for x in range(count)}
    for x in range(count):
        if fast.settings.transpositions:
            assert find(g, 0, g.position[x]) == x
        codes = []
        for e in edges_of(g, x):
            assert g.edge[e].origin == x
            codes.append(int(g.code[e]))
            if g.edge[e].dest >= 0:
                ends[int(g.edge[e].dest)].add(e)
        assert len(set(codes)) == len(codes)
    for x, into in ends.items():
        found, e = set(), int(g.node[x].first_in)
        while e >= 0:
            found.add(e)
            e = int(g.edge[e].next_in)
        assert found == into


def told(fast: FastSearch) -> list[object]:
    """The graph in words, node by node from the root: what a search at rest can see of it."""
    g, lines = fast.graph, list[object]()
    seen, waiting = {fast.root}, [fast.root]
    while waiting:
        x = waiting.pop(0)
        lines.append((g.position[x].tobytes(), g.node[x].state, g.sums[x].tolist()))
        for e in edges_of(g, x):
            lines.append((inputs_of(g, e), payoffs(g, e), g.sight[e].value, g.sight[e].spread))
            y = int(g.edge[e].dest)
            if y >= 0 and y not in seen:
                seen.add(y)
                waiting.append(y)
    return lines


@pytest.mark.parametrize("name", SEVERAL)
def test_forgetting_nothing_changes_nothing(name: str) -> None:
    for depths in DEPTHS[:3]:
        one, other = (searching(name, depths, slots=1) for _ in range(2))
        for fast in (one, other):
            fast.simulate(80)
        loads = finish(mark(one.graph, 0, one.root, 1, one.crew.scratch))
        assert loads[:, 0].sum() == one.graph.head[0].nodes
        finish(compact(one.graph, 0, one.crew.scratch))
        check_links(one)
        check_at_rest(one)
        assert told(one) == told(other)
        for fast in (one, other):
            fast.simulate(50)
        assert told(one) == told(other)


@pytest.mark.parametrize("name", SEVERAL)
def test_what_is_kept_stays_right(name: str) -> None:
    """Forgetting again and again, from other roots as well."""
    generator = random.Random(name)
    for depths, solver in zip(DEPTHS, (True, False, True, False), strict=True):
        fast = searching(name, depths, slots=20, solver=solver)
        for _ in range(2):
            fast.graph.head[0].started = fast.graph.head[0].wanted = 0
            fast.simulate(100)
            g = fast.graph
            ends = [int(g.edge[e].dest) for e in edges_of(g, fast.root)]
            onward = [y for y in ends if y >= 0 and not g.node[y].state & (State.TERMINAL | State.PROVEN)]
            if onward and generator.random() < 0.6:
                g.head[0].root = generator.choice(onward)
            before = int(g.head[0].nodes)
            kept = finish(mark(g, 0, fast.root, generator.randrange(1, 6), fast.crew.scratch))[:, 0].sum()
            finish(compact(g, 0, fast.crew.scratch))
            assert g.head[0].nodes == kept <= before
            check_links(fast)
            check_at_rest(fast)


# ---- proofs ---------------------------------------------------------------------------------------------------------


def minimax(fast: FastSearch, position: bytes, known: dict[bytes, tuple[int, ...]]) -> tuple[int, ...]:
    """The goals of a position where the roles take turns and one's gain is the other's loss."""
    if position not in known:
        situation = fast.machine.situation(position)
        if situation.terminal:
            known[position] = tuple(values[0] for values in situation.goals)
        else:
            role = max(range(len(situation.legal)), key=lambda r: len(situation.legal[r]))
            joints = product(*situation.legal)
            known[position] = max(
                (minimax(fast, fast.machine.next(position, joint), known) for joint in joints),
                key=lambda goals: goals[role],
            )
    return known[position]


@pytest.mark.parametrize(("name", "steps"), [("nim", 1), ("tic_tac_toe", 3), (HISTORY, 0)], ids=["nim", "ttt", "tree"])
@pytest.mark.parametrize("slots", [1, 30])
def test_proofs_are_true(name: str, steps: int, slots: int) -> None:
    proven = 0
    machine = compiled_text(name) if "role" in name else compiled(name)
    known: dict[bytes, tuple[int, ...]] = {}
    for seed in range(3):
        position = after_random_moves(machine, steps, seed)
        fast = FastSearch(machine, SearchSettings(), seed, position=position, slots=slots)
        fast.simulate(1500)
        g = fast.graph
        for x in range(int(g.head[0].nodes)):
            if g.node[x].state & State.PROVEN:
                exact = minimax(fast, g.position[x].tobytes(), known)
                assert g.proof[x].tolist() == list(exact)
                proven += 1
    assert proven > 50
