"""What the studio's server tells authors: words, names, uses, numbers. (What is wrong with a text: `test_web.py`.)"""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")

from gdl import Source, check, load, parse
from ggp.machines import PrologMachine
from ggp.web.measuring import tree
from ggp.web.relations import outline, picture
from tests.helpers import GAMES
from tests.web_site import Site

NIM = (GAMES / "nim.kif").read_text(encoding="utf-8")
LOOP = """
(role a) (init p) (legal a go)
(<= (next p) (not q)) (<= q (not p1)) (<= p1 (true p))
(<= (r ?x) (s ?x)) (<= (s ?x) (r ?x) t)
"""


def test_words_are_offered_to_authors(served: Site) -> None:
    text = "(role red)\n(init (heap 1))\n(<= (next (heap ?size)) (true (he"
    words = {
        word: (what, meaning)
        for word, what, meaning in served.post("/api/studio/complete", text=text, at=len(text))["words"]
    }
    assert words["heap"] == ("1 argument", "") and words["red"] == ("name", "") and words["?size"] == ("variable", "")
    assert words["next"] == ("keyword", "`(next F)`: F holds after the joint move") and "he" not in words


def test_names_and_uses_of_relations_are_told() -> None:
    ruleset = load(Source(NIM))
    found = {(one["what"], one["name"]): one for one in outline(ruleset, is_whole=True)}
    assert found["role", "first"]["line"] and found["fluent", "heap"]["arity"] == 2
    assert found["move", "noop"]["arity"] == 0
    assert found["language", "legal"]["rules"] == len(ruleset.by_relation["legal", 2])
    assert [one["what"] for one in outline(ruleset, is_whole=False) if one["what"] in ("fluent", "move")] == []
    drawn = picture(check(parse(Source(LOOP))))
    assert drawn is not None
    nodes = {node["name"]: node for node in drawn["nodes"]}
    assert [nodes[name]["stratum"] for name in ("true", "p1", "q", "next", "r")] == [0, 0, 1, 2, 0]
    assert nodes["r"]["recursive"] and nodes["r"]["column"] == nodes["s"]["column"] and not nodes["q"]["recursive"]
    assert nodes["true"]["column"] < nodes["p1"]["column"] < nodes["q"]["column"] < nodes["next"]["column"]
    assert max(nodes[name]["column"] for name in ("r", "s", "t")) < nodes["q"]["column"]  # of a lower stratum
    places = [(node["column"], node["row"]) for node in nodes.values()]
    assert len(set(places)) == len(places)
    names = [node["name"] for node in drawn["nodes"]]
    uses = {(names[edge["from"]], names[edge["to"]], edge["negative"]) for edge in drawn["edges"]}
    assert {("next", "q", True), ("q", "p1", True), ("p1", "true", False), ("r", "s", False), ("s", "r", False)} <= uses


def test_the_tree_is_counted_as_deep_as_time_allows() -> None:
    machine = PrologMachine(load(Source(NIM)))
    assert [level.nodes for level in tree(machine, 0.0)] == [1, 16]
    assert [level.nodes for level in tree(machine, 2.0)][:3] == [1, 16, 206]
    machine.close()


@pytest.mark.slow
def test_rules_are_measured(served: Site) -> None:
    found = served.post("/api/studio/measure", text=NIM, seconds=0.2)
    assert found["playouts"] > 0 and found["unfinished"] == 0 and 4 < found["steps"] < 16
    assert found["circuit"] is None or found["circuit"]["gates"] > found["circuit"]["bases"] > 10
    assert found["tree"][:2] == [{"nodes": 1, "ends": 0}, {"nodes": 16, "ends": 0}]
    assert served.refused("/api/studio/measure", text=NIM, seconds=600)[0] == 400
