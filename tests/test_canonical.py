"""The key of a game: the same under all that scramblers do, another as soon as the rules say something else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gdl import Ruleset, parse
from gdl.canonical import canonical, translation
from gdl.rules import And, Formula, Not, Or, Rule, formula_text
from gdl.scramble import scramble
from tests.helpers import GAMES, TINY, games, rulesheets, some

TIC_TAC_TOE = (GAMES / "tic_tac_toe.kif").read_text(encoding="utf-8")


def sheet(text: str) -> Ruleset:
    return Ruleset(parse(text))


def of(path: Path) -> Ruleset:
    return sheet(path.read_text(encoding="utf-8", errors="replace"))


def key(text: str) -> str:
    return canonical(sheet(text)).key


def shuffled(formula: Formula, generator: random.Random) -> Formula:
    """The parts of disjunctions and conjunctions in another order, too."""
    match formula:
        case Or(parts) | And(parts):
            return type(formula)(tuple(shuffled(part, generator) for part in generator.sample(parts, len(parts))))
        case Not(inner):
            return Not(shuffled(inner, generator))
        case _:
            return formula


def scrambled(ruleset: Ruleset, seed: int) -> Ruleset:
    generator = random.Random(seed)
    rules = scramble(ruleset.rules, seed, permute=True).rules
    return sheet("\n".join(str(Rule(r.head, tuple(shuffled(f, generator) for f in r.body))) for r in rules))


def outline(rule: Rule, name: Callable[[str], str] = str) -> tuple[str, ...]:
    """A rule in other names, without the order of its words, and without telling its variables apart."""
    words = " ".join(map(str, (rule.head, *map(formula_text, rule.body)))).replace("(", " ( ").replace(")", " ) ").split()
    return tuple(sorted("?" if word[0] == "?" else name(word) for word in words))


def assert_is_found_again(path: Path, seeds: int) -> None:
    ruleset = of(path)
    known = canonical(ruleset)
    kept = {"role", "init", "next", "legal", "goal", "terminal", "sees", *known.symbols}
    outlines = Counter(outline(rule) for rule in ruleset.rules if rule.head.name in kept)
    for seed in range(seeds):
        other = scrambled(ruleset, seed)
        found = canonical(other)
        assert found.key == known.key
        name = translation(found, known)
        assert tuple(map(name, other.roles)) == ruleset.roles
        assert outlines <= Counter(outline(rule, name) for rule in other.rules)


@pytest.mark.parametrize("path", some(games()))
def test_a_scrambled_game_has_the_same_key_and_its_names_are_found_again(path: Path) -> None:
    assert_is_found_again(path, seeds=3)


@pytest.mark.parametrize("path", some(rulesheets()))
def test_so_has_a_scrambled_rulesheet_of_others(path: Path) -> None:
    assert_is_found_again(path, seeds=1)


def test_layout_case_and_comments_make_no_difference() -> None:
    loud = "\n".join(f"{line.split(';')[0].upper()} ; a note" for line in TIC_TAC_TOE.splitlines())
    assert key(loud) == key(TIC_TAC_TOE)
    assert key(TINY.replace("terminal", "(terminal)")) == key(TINY)


def test_a_scrambler_may_rename_numbers_that_are_no_goals() -> None:
    assert key(TINY.replace("on 1", "on first").replace("on 2", "on 77")) == key(TINY)
    assert key(TINY.replace("100", "99")) != key(TINY)
    assert key(TINY.replace("on 2", "on 100")) != key(TINY)


def test_numbers_that_a_goal_may_take_through_a_variable_keep_their_names() -> None:
    counted = TINY.replace("(goal me 100)", "(worth 30) (<= (goal me ?v) (worth ?v))")
    assert key(counted) != key(counted.replace("30", "40"))
    assert key(counted) != key(counted.replace("on 1", "on 7"))
    assert key(counted) == key(counted.replace("worth", "value"))


def test_names_with_a_meaning_are_kept() -> None:
    dice = TINY + "(role random) (legal random roll)"
    assert key(dice) != key(dice.replace("random", "robert"))
    assert key(TINY) != key(TINY.replace("next", "soon"))


def test_the_order_of_the_roles_counts() -> None:
    two = "(role a) (role b) (legal a x) (legal b x) (legal b y) (goal a 1) (goal b 1) terminal"
    assert key(two) != key(two.replace("(role a) (role b)", "(role b) (role a)"))


def test_rules_that_nobody_asks_about_make_no_difference() -> None:
    idle = "(<= (base (on ?x)) (number ?x)) (number 1) (number 2) (<= (loose ?x) (number ?x))"
    assert key(TINY + idle) == key(TINY)
    assert key(TINY + idle + "(<= terminal (number 1))") != key(TINY)


def test_pairs_that_are_told_apart_by_equal_names_only() -> None:
    pairs = "(role me) (legal me wait) (goal me 1) (<= terminal (true (p {}))  (true (p {})))"
    assert key(pairs.format("a a", "b b")) != key(pairs.format("a b", "b a"))


@pytest.mark.parametrize("path", some(games()))
def test_another_condition_or_constant_is_another_game(path: Path) -> None:
    ruleset = of(path)
    known = canonical(ruleset)
    generator = random.Random(path.stem)
    asked = ("legal", "next", "goal", "terminal")
    bodies = [(n, i) for n, rule in enumerate(ruleset.rules) if rule.head.name in asked for i in range(len(rule.body))]
    for n, i in generator.sample(bodies, min(3, len(bodies))):
        rules = list(ruleset.rules)
        rule = rules[n]
        rules[n] = Rule(rule.head, (*rule.body[:i], Not(rule.body[i]), *rule.body[i + 1 :]))
        assert key("\n".join(map(str, rules))) != known.key
        rules[n] = Rule(rule.head, (*rule.body[:i], *rule.body[i + 1 :]))
        assert key("\n".join(map(str, rules))) != known.key
    one, other = generator.sample(known.symbols, 2)
    words = {one: other}
    merged = " ".join(
        words.get(word, word)
        for word in "\n".join(map(str, ruleset.rules)).replace("(", "( ").replace(")", " ) ").split()
    )
    assert key(merged.replace("( ", "(")) != known.key


def test_a_game_with_very_many_equal_names_is_given_up_in_time() -> None:
    many = TINY + "".join(f"(spare n{i} m{i})" for i in range(2000)) + "(<= terminal (spare ?x ?y) (true (on ?x)))"
    assert len(canonical(sheet(many)).symbols) > 4000


def small(generator: random.Random) -> Ruleset:
    """Few rules of few names: many of them are the same game, and many nearly are."""

    def atom(*terms: str) -> str:
        return f"({generator.choice('pq')} {generator.choice(terms)} {generator.choice(terms)})"

    def condition() -> str:
        kind = generator.choice(["{}", "{}", "(not {})", "(or {} {})", "(distinct ?x ?y)"])
        return kind.format(atom("?x", "?y"), atom("?x", "?y"))

    head = atom("?x", "?y")
    body = " ".join(condition() for _ in range(generator.choice((1, 2))))
    facts = " ".join(atom("a", "b") for _ in range(2))
    return sheet(f"(role r) (legal r m) (goal r 1) (<= terminal (p ?x ?y) (q ?y ?x)) (<= {head} {body}) {facts}")


def normal(ruleset: Ruleset, name: Callable[[str], str] = str) -> list[str]:
    """The rules in other names and sorted, by trying all names for the variables of each."""

    def text(formula: Formula, words: dict[str, str]) -> str:
        if isinstance(formula, Or):
            return f"(or {' '.join(sorted(text(part, words) for part in formula.branches))})"
        spaced = formula_text(formula).replace("(", "( ").replace(")", " )").split()
        return " ".join(words.get(word, name(word)) for word in spaced)

    def best(rule: Rule) -> str:
        found = [dict(zip(("?x", "?y"), order, strict=True)) for order in (("?1", "?2"), ("?2", "?1"))]
        return min(f"{text(rule.head, words)} <= {sorted(text(f, words) for f in rule.body)}" for words in found)

    return sorted(map(best, ruleset.rules))


def test_small_games_of_one_key_are_the_same_game() -> None:
    generator = random.Random(5)
    first: dict[str, Ruleset] = {}
    met = missed = 0
    for _ in range(1000):
        ruleset = small(generator)
        found = canonical(ruleset)
        known = first.setdefault(found.key, ruleset)
        if known is not ruleset:
            met += 1
            assert normal(ruleset, translation(found, canonical(known))) == normal(known)
        missed += canonical(scrambled(ruleset, 1)).key != found.key
    assert met > 100
    assert missed == 0
