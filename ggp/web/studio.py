"""What an author is told of a text while it is written: problems with their places, the first position, a random play."""

from __future__ import annotations

from gdl import Problem, Ruleset, Source, check, parse
from gdl.errors import DescriptionError
from gdl.laws.possible import impossible
from gdl.layout import layout
from gdl.problems import in_order
from ggp.core.errors import GgpError
from ggp.lsp import answers
from ggp.lsp.words import Words
from ggp.machines.plays import random_play
from ggp.web.drawing import Drawing
from ggp.web.fields import Fields, Json
from ggp.web.relations import outline, picture
from ggp.web.shelf import LONGEST_RULES, Shelf, asking

_PROBLEMS = 100
_STEPS = 60
"""Positions of a random play that are shown."""
_WORDS = 2000
"""Words that are offered."""


def diagnose(asked: Fields) -> Json:
    """The problems of a text, what it defines and where, and its first position where there is one."""
    source = Source(asked.text("text", LONGEST_RULES), "your_game.kif")
    ruleset = check(parse(source))
    problems = [*ruleset.problems]
    is_whole = not any(p.is_error for p in problems)
    if is_whole:
        problems += impossible(ruleset)
    found: dict[str, Json] = {
        "problems": [_problem(problem) for problem in in_order(tuple(problems))[:_PROBLEMS]],
        "outline": outline(ruleset, is_whole=is_whole),
    }
    if is_whole:
        found |= {**_first(ruleset), "picture": picture(ruleset)}
    return found


def complete(asked: Fields) -> Json:
    """The words that may stand at an offset of a text, each with what it is."""
    words = Words.of(asked.text("text", LONGEST_RULES))
    found = answers.completions(words, asked.count("at", LONGEST_RULES))
    told = [[name, what, answers.MEANINGS[name] if what == "keyword" else ""] for name, what in found[:_WORDS]]
    return {"words": told}


def laid_out(asked: Fields) -> Json:
    """A text in the one layout; DescriptionError if it cannot be read."""
    source = Source(asked.text("text", LONGEST_RULES), "your_game.kif")
    description = parse(source)
    if not description.words and description.problems:
        raise DescriptionError(description.problems)
    return {"text": layout(source.text)}


def walk(shelf: Shelf, asked: Fields) -> Json:
    """A random play, drawn."""
    title = shelf.title(asked)
    machine = asking(title.ruleset)
    steps, before, joint = [], None, None
    try:
        for step in random_play(machine, asked.count("seed", 2**31, 1), _STEPS):
            fluents = machine.fluents(step.position)
            over = step.ending is not None
            board = title.drawing.position(fluents, step.situation, joint=joint, before=before, over=over)
            steps.append(
                {"board": board, "ending": step.ending.value if step.ending else None, "goals": list(step.goals)}
            )
            before, joint = fluents, step.joint
    finally:
        machine.close()
    return {"steps": steps, "roles": list(title.ruleset.roles)}


def _first(ruleset: Ruleset) -> dict[str, Json]:
    try:
        machine = asking(ruleset)
    except GgpError as error:
        return {"trouble": str(error)}
    try:
        position = machine.initial()
        situation = machine.situation(position)
        board = Drawing(ruleset).position(machine.fluents(position), situation)
        return {"board": board, "roles": list(ruleset.roles)}
    except GgpError as error:
        return {"trouble": str(error)}
    finally:
        machine.close()


def _problem(problem: Problem) -> dict[str, Json]:
    return {
        "law": problem.law.number, "severity": problem.severity, "message": problem.message,
        "line": problem.place.line if problem.at >= 0 else None, "column": problem.place.column, "at": problem.at,
        "excerpt": problem.source.excerpt(problem.at) if problem.at >= 0 else "",
    }  # fmt: skip
