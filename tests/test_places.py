"""What can stand in a place, and what binds a variable."""

from __future__ import annotations

from gdl import Variable, parse
from gdl.normalize import normalize
from gdl.places import DEPTH, Either, Place, Read, Same, Source, relations_read, sources

F, G = ("f", 1), ("g", 2)


def place(*names: str, f: Place | None = None) -> Place:
    return Place(names=set(names), functions={} if f is None else {F: (f,)})


def bound(body: str) -> dict[str, tuple[Source, ...]]:
    (rule,) = parse(f"(<= (p ?x) {body})").rules
    return {variable.name: found for variable, found in sources(normalize(rule).body).items()}


def test_adding_tells_whether_anything_was_new() -> None:
    target = place("a")
    assert target.add(place("a", "b")) and target.names == {"a", "b"}
    assert not target.add(place("b"))
    assert target.add(place(f=place("c"))) and target.add(place(f=place("d")))
    assert target.functions[F][0].names == {"c", "d"}
    assert not target.add(place(f=place("d"))) and not target.add(target)
    assert target.add(Place(anything=True)) and target.anything and not target.add(place("z"))


def test_what_stands_in_both_places() -> None:
    both = place("a", "b", f=place("x", "y")).meet(place("b", "c", f=place("y", "z")))
    assert (both.names, both.functions[F][0].names) == ({"b"}, {"y"})
    assert place("a").meet(place("b")).is_empty
    assert place("a").meet(Place(anything=True)) == place("a") == Place(anything=True).meet(place("a"))
    assert G not in place("a").meet(Place(functions={G: (Place(), Place())})).functions


def test_deep_functions_end_in_a_place_for_anything() -> None:
    here = Place()
    for _ in range(DEPTH):
        assert not here.anything
        (here,) = here.inside(F)
    assert here.anything


def test_every_positive_condition_binds() -> None:
    found = bound("(true (cell ?x ?y)) (q ?x) (not (r ?x)) (distinct ?x a)")
    cell = (("cell", 2), 0)
    assert found["?x"] == (Read(((("true", 1), 0), cell)), Read(((("q", 1), 0),)))
    assert set(found) == {"?x", "?y"}
    assert set(relations_read(found["?x"])) == {("true", 1), ("q", 1)}


def test_equalities_and_disjunctions_bind() -> None:
    assert bound("(not (distinct ?x a)) (q ?x)")["?x"][0] == Same("a") == bound("(not (distinct a ?x))")["?x"][0]
    found = bound("(or (q ?x) (and (r ?x) (s ?x ?y)))")
    (either,) = found["?x"]
    assert isinstance(either, Either) and [len(branch) for branch in either.branches] == [1, 2]
    assert Variable("?y").name not in found
    assert set(relations_read(found["?x"])) == {("q", 1), ("r", 1), ("s", 2)}
