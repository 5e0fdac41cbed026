"""The layout changes white space only, and doing it twice changes nothing more."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl import Source, parse
from gdl.layout import WIDTH, layout
from gdl.rules import Rule
from tests import strategies
from tests.helpers import games, rulesheets, some


def comments(text: str) -> Counter[str]:
    return Counter(comment.rstrip() for comment in re.findall(r";[^\r\n]*", text))


def words(text: str) -> list[str]:
    return re.findall(r"[()]|[^\s();]+", re.sub(r";[^\r\n]*", "", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  \n\n ", ""),
        ("(ROLE   me)(role\nyou)", "(ROLE me)\n(role you)\n"),
        ("(a)\n\n\n\n(b)", "(a)\n\n(b)\n"),
        ("(<= terminal (true (on 1)))", "(<= terminal\n    (true (on 1)))\n"),
        ("(<= (p ?x)(q ?x)\n(not r) )", "(<= (p ?x)\n    (q ?x)\n    (not r))\n"),
        ("(<= p)", "(<= p)\n"),
        ("; first\n(a) ; behind\n; last", "; first\n(a)  ; behind\n; last\n"),
        ("(<= p ; why\n  q ; because\n  r)", "; why\n(<= p\n    q  ; because\n    r)\n"),
        ("(<= p\n  ; about q\n  q)", "(<= p\n    ; about q\n    q)\n"),
        ("(a\r\nb)\r\n", "(a b)\n"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert layout(text) == expected
    assert layout(expected) == expected


def test_a_comment_at_the_end_of_a_rule_never_swallows_its_parenthesis() -> None:
    text = "(<= p q ; last\n)\n(r)"
    assert words(layout(text)) == words(text)
    assert layout(layout(text)) == layout(text)


def test_long_conditions_are_broken_at_connectives() -> None:
    branches = " ".join(f"(and (cell {i} ?y ?mark_of_the_player) (line {i} ?somewhere_else))" for i in range(6))
    lines = layout(f"(<= p (or {branches}))").splitlines()
    assert len(lines) == 7
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize("path", some([*games(), *rulesheets()]))
def test_layout_keeps_rules_names_and_comments_and_is_idempotent(path: Path) -> None:
    text = Source.read(path).text
    once = layout(text)
    assert layout(once) == once
    assert parse(once).rules == parse(text).rules
    assert words(once) == words(text)
    assert comments(once) == comments(text)


@pytest.mark.parametrize("path", games())
def test_the_projects_games_are_laid_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert layout(text) == text


_GAPS = [" ", "  ", "\n", "\n\n", "\n\n\n", "\t", "\r\n", " ; note {}\n", "\n; alone {}\n", "; a ( b {}\n\n", " ;{}\n"]


@settings(max_examples=50)
@given(strategies.descriptions, st.integers(0, 10**6))
def test_layout_of_random_texts_with_comments_anywhere(rules: tuple[Rule, ...], seed: int) -> None:
    generator = random.Random(seed)
    tokens = words("\n".join(map(str, rules)))
    text = "".join(token + generator.choice(_GAPS).format(f"#{i}#") for i, token in enumerate(tokens))
    once = layout(text)
    assert words(once) == tokens
    marks = re.findall(r"#\d+#", "".join(comments(once)))
    assert sorted(marks) == sorted(re.findall(r"#\d+#", text))
    assert layout(once) == once
