"""Text to expressions: balance and spelling first, then the automaton of the grammar.

Names are folded to lower case; the first spelling of each is kept for replies (servers compare case).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gdl.problems import Law, Reporter
from gdl.source import Source
from gdl.terms import Term

MAX_DEPTH = 10_000
"""Lists nested deeper than this are refused: no game needs it, and it bounds what a hostile message can cost."""

_MAX_FAULTS = 100
"""Faults of balance that are reported; a text with more of them is no description."""

_LEXEME = re.compile(r";[^\r\n]*|[()]|[^\s();]+")


@dataclass(frozen=True)
class Expressions:
    """The top-level expressions of a text, and how its names are spelled."""

    terms: tuple[Term, ...]
    words: dict[str, int]
    """Every name and variable as it is spelled, with the offset of its first occurrence."""


def read(source: Source, reporter: Reporter) -> Expressions | None:
    """Read a text; None, with the problems reported, if its parentheses do not balance."""
    words = _survey(source.text, reporter)
    if words is None:
        return None
    from gdl.automaton import expressions  # lark takes a while: only where there is something to read

    return Expressions(expressions(source.text), words)


def _survey(text: str, reporter: Reporter) -> dict[str, int] | None:
    """Check the balance and collect the words; None if the text is not balanced.

    A parenthesis that opens in the first column while others are open is taken for the start of a new expression: that
    is how people lay out rules, and it finds the rule with the fault instead of the end of the file.
    """
    words: dict[str, int] = {}
    open_at: list[int] = []
    balanced = True
    for lexeme in _LEXEME.finditer(text):
        word, at = lexeme.group(), lexeme.start()
        if word == "(":
            if len(open_at) >= MAX_DEPTH:
                reporter.error(Law.SYNTAX, at, f"lists are nested more than {MAX_DEPTH:,} deep here")
                return None
            open_at.append(at)
        elif word == ")":
            if open_at:
                open_at.pop()
            else:
                reporter.error(Law.SYNTAX, at, "this parenthesis closes nothing")
                balanced = False
                if len(reporter.found) >= _MAX_FAULTS:
                    return None
        elif word[0] != ";":
            words.setdefault(word, at)
    if open_at:
        balanced = False
        _report_unclosed(text, reporter)
    return words if balanced else None


def _report_unclosed(text: str, reporter: Reporter) -> None:
    """Report each top-level expression that is not closed before the next one begins in the first column."""
    open_at: list[int] = []
    for lexeme in _LEXEME.finditer(text):
        word, at = lexeme.group(), lexeme.start()
        if word == "(":
            if open_at and (at == 0 or text[at - 1] in "\r\n"):
                _report_open(open_at, f"before the next expression, on line {reporter.source.place(at).line}", reporter)
                open_at = []
                if len(reporter.found) >= _MAX_FAULTS:
                    return
            open_at.append(at)
        elif word == ")" and open_at:
            open_at.pop()
    if open_at:
        _report_open(open_at, "before the end of the text", reporter)


def _report_open(open_at: list[int], where: str, reporter: Reporter) -> None:
    count = len(open_at)
    missing = "one closing parenthesis is" if count == 1 else f"{count} closing parentheses are"
    reporter.error(Law.SYNTAX, open_at[0], f"this list is not closed {where}: {missing} missing")
