"""Answers to an editor's questions, from a text, its words and an offset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gdl import Source
from gdl.layout import layout
from gdl.parser import parse
from gdl.ruleset import CHANCE
from ggp.core.errors import UsageError
from ggp.lsp.findings import Finding
from ggp.lsp.knowledge import Kind
from ggp.lsp.words import KEYWORDS, Word, Words

MEANINGS: Mapping[str, str] = {
    "role": "`(role R)`: R is a player",
    "init": "`(init F)`: the fluent F holds in the first position",
    "true": "`(true F)`: the fluent F holds in this position",
    "next": "`(next F)`: F holds after the joint move",
    "legal": "`(legal R M)`: the role R may do the move M",
    "does": "`(does R M)`: the role R does the move M",
    "goal": "`(goal R V)`: the position is worth V, from 0 to 100, to the role R",
    "terminal": "`terminal`: the game is over",
    "base": "`(base F)`: F is a fluent that may hold at some time",
    "input": "`(input R M)`: M is a move that R may do at some time",
    "sees": "`(sees R P)`: the role R perceives P after the joint move (GDL-II)",
    "<=": "`(<= HEAD CONDITION …)`: the head holds if all conditions do",
    "not": "`(not ATOM)`: the atom does not hold",
    "or": "`(or CONDITION …)`: one of them holds",
    "and": "`(and CONDITION …)`: all of them hold",
    "distinct": "`(distinct A B)`: the terms differ",
}
_NAME = re.compile(r"[^\s();?][^\s();]*")
_MEANT = re.compile(r"; did you mean ([^\s()?]+)\?")
_BARE = re.compile(r"\(\s*([^\s();]+)\s*\)")
_PLACES = 12
"""Places of definitions that hovering lists."""


class Change(NamedTuple):
    """A part of a text that becomes another."""

    begin: int
    end: int
    text: str


def hover(words: Words, word: Word, source: Source, known: Mapping[str, Sequence[Kind]] | None) -> str:
    """What there is to say of a word, in Markdown. `known` is None where nothing has been found out yet."""
    if word.name in KEYWORDS:
        return MEANINGS[word.name]
    uses = words.same(word)
    if word.is_variable:
        return f"variable of this rule, {len(uses)} times"
    lines = [line for kind in (known or {}).get(word.name, ()) for line in [*kind.lines(), ""]]
    places = [str(source.place(giver.at).line) for giver in words.givers(word.name)]
    if places:
        shown = ", ".join(places[:_PLACES]) + (", …" if len(places) > _PLACES else "")
        lines.append(f"given on line{'s' * (len(places) > 1)} {shown}")
    lines.append(f"{len(uses)} times in this text" + ("" if known is not None else "; the rules are being ground"))
    return "\n".join(lines)


def definitions(words: Words, word: Word) -> list[Word]:
    """Where a name is given; the first place of a variable in its rule, or of a name that nothing gives."""
    return words.givers(word.name) or words.same(word)[:1]


def rename(words: Words, word: Word, new: str) -> list[Change]:
    """A name in all of its places, or a variable in its rule. UsageError where that would change what the rules mean."""
    check_renamed(word)
    if word.is_variable != new.startswith("?") or not _NAME.fullmatch(new.removeprefix("?")):
        raise UsageError(f"{new!r} is no {'variable' if word.is_variable else 'name'}")
    if new.lower() in KEYWORDS or new.lower() == CHANCE:
        raise UsageError(f"{new} is a word of the language")
    if new.lower() != word.name:
        others = words.by_name.get(new.lower(), [])
        if any(not word.is_variable or other.expression == word.expression for other in others):
            raise UsageError(f"{new} is there already: both would become one")
    return [Change(other.at, other.end, new) for other in words.same(word)]


def check_renamed(word: Word) -> None:
    """Complain of what cannot have another name."""
    if word.name in KEYWORDS or word.name == CHANCE:
        raise UsageError(f"{word.text} is a word of the language")
    if word.name.isdigit():
        raise UsageError(f"{word.text} is a number: it may stand for a goal, and stays")


def completions(words: Words, offset: int) -> list[tuple[str, str]]:
    """Words that may stand at an offset, each with what it is: variables of the rule, keywords, names of the text."""
    here = words.at(offset)
    before = next((word for word in reversed(words.all) if word.at < offset), None) if here is None else here
    rule = [word for word in words.all if before is not None and word.expression == before.expression]
    found = {word.name: "variable" for word in rule if word.is_variable and word is not here}
    found |= dict.fromkeys(MEANINGS, "keyword")
    for name, uses in words.by_name.items():
        if name not in KEYWORDS and name[0] != "?" and any(word is not here for word in uses):
            count = max(word.arguments for word in uses)
            found.setdefault(name, f"{count} argument{'' if count == 1 else 's'}" if count >= 0 else "name")
    return list(found.items())


def formatted(text: str) -> str | None:
    """The text in its layout; None if its parentheses do not balance."""
    description = parse(Source(text))
    return None if not description.words and description.problems else layout(text)


def suggestion(text: str, words: Words, finding: Finding) -> tuple[str, Change] | None:
    """What may be done about a finding, in words and as a change."""
    if finding.law == 24 and (bare := _BARE.match(text, finding.at)):
        return f"Write {bare[1]} without parentheses", Change(bare.start(), bare.end(), bare[1])
    meant = _MEANT.search(finding.message)
    word = words.at(finding.at + (text[finding.at : finding.at + 1] == "("))
    if meant is None or word is None or finding.at < 0:
        return None
    return f"Change {word.text} to {meant[1]}", Change(word.at, word.end, meant[1])
