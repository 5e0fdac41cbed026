"""From a file or a text to a checked ruleset, in one call."""

from __future__ import annotations

import os

from gdl.check import check
from gdl.errors import DescriptionError
from gdl.parser import parse
from gdl.ruleset import Ruleset
from gdl.source import Source


def load(source: Source | str | os.PathLike[str]) -> Ruleset:
    """Load a description from a file's path, or from a `Source`.

    Raises DescriptionError, which carries all problems, if the description has no meaning, and UnreadableError if the
    file cannot be read. Warnings are in the ruleset's `problems`.
    """
    if not isinstance(source, Source):
        source = Source.read(source)
    ruleset = check(parse(source))
    if any(problem.is_error for problem in ruleset.problems):
        raise DescriptionError(ruleset.problems)
    return ruleset
