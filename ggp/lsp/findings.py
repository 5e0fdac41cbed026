"""Problems as editors are told of them: all of a text, or soon after a key those of what was changed.

A full check takes about two and a half seconds for a megabyte of rules. So the findings of a large text are moved along
with it while somebody types, only the rules around the change are checked, and the rest is looked at when there is time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gdl import Law, Source, check, parse
from gdl.laws import keywords, safety
from gdl.laws.possible import problems_without_play
from gdl.problems import Problem, Reporter
from gdl.ruleset import Ruleset

SMALL = 60_000
"""Longer texts are checked in two steps [letters]: shorter ones take some hundredths of a second."""
_OF_A_RULE = (keywords.arities, keywords.heads, keywords.bodies, safety.safety)
"""Laws that a rule keeps or breaks whatever the others are."""
_BEGINS = re.compile(r"^\(", re.MULTILINE)
_STEP = 4096


class Finding(NamedTuple):
    """A problem and its offset, -1 for one of the whole."""

    law: int
    title: str
    is_error: bool
    message: str
    at: int


def findings(text: str) -> list[Finding]:
    """All that can be told of a text without playing, as `ggp check --plays 0` tells it."""
    return list(map(_finding, problems_without_play(check(parse(Source(text, "this text"))))))


def moved(before: str, found: Sequence[Finding], text: str) -> list[Finding]:
    """The findings of a text that was changed, anew for the expressions that were, and as they were for the others."""
    begin = _common(before, text)
    end = _common(before[begin:][::-1], text[begin:][::-1])  # letters that are the same behind the change
    first, last = _around(text, begin, len(text) - end)
    shift = len(text) - len(before)
    kept = [finding for finding in found if finding.at < first]
    kept += [finding._replace(at=finding.at + shift) for finding in found if finding.at >= last - shift]
    return sorted([*kept, *_local(text, first, last)], key=lambda finding: finding.at)


def _finding(problem: Problem) -> Finding:
    return Finding(problem.law.number, problem.law.title, problem.is_error, problem.message, problem.at)


def _local(text: str, first: int, last: int) -> list[Finding]:
    """What is wrong with some expressions by themselves."""
    source = Source(text[first:last], "this text")
    description = parse(source)
    ruleset = Ruleset(description)
    reporter = Reporter(source, list(description.problems))
    for law in _OF_A_RULE:
        law(ruleset, reporter)
    lines = text.count("\n", 0, first)
    return [
        _finding(problem)._replace(at=problem.at + first, message=_later(problem, lines))
        for problem in reporter.found
        if problem.law is not Law.SAFETY or problem.is_error
    ]


def _later(problem: Problem, lines: int) -> str:
    """The message, which may name a line, so many lines further down."""
    return re.sub(r"(?<=on line )\d+", lambda number: str(int(number[0]) + lines), problem.message)


def _common(one: str, other: str) -> int:
    """How many letters two texts begin with in common."""
    at, least = 0, min(len(one), len(other))
    while at < least and one[at : at + _STEP] == other[at : at + _STEP]:
        at += _STEP
    while at < least and one[at] == other[at]:
        at += 1
    return min(at, least)


def _around(text: str, begin: int, end: int) -> tuple[int, int]:
    """The expressions that a part of a text touches: from a parenthesis in the first column to the next one."""
    first = max(text.rfind("\n(", 0, begin + 1) + 1, 0)
    after = _BEGINS.search(text, max(end, first + 1))
    return first, after.start() if after else len(text)
