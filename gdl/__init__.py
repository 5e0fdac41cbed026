"""GDL, the Game Description Language: reading, checking and transforming descriptions of games.

The words used here and in `ggp`:

- **term, literal, rule**: GDL's syntax trees (`gdl.terms`, `gdl.rules`).
- **relation**: a name with a number of arguments that atoms are made of; **function**: the same inside terms.
- **description**: a text as rules, as it was parsed; **ruleset**: checked rules, indexed by relation.
- **fluent**: what may be inside `true`; a *position* of a game is a set of ground fluents.
- **place**: an argument of a relation or function, with all that the rules can put there (`gdl.domains`).
  `gdl.Place` is one of a text: file, line and column.
- **problem**: a breach of one of the laws of the language (`gdl.problems.Law`), an error or a warning, with its place.

>>> ruleset = load(Source("(role me) (legal me wait) (goal me 100) (<= terminal (true over))"))
>>> ruleset.roles
('me',)
"""

from gdl.check import check
from gdl.errors import DescriptionError, GdlError, GroundingError, UnreadableError
from gdl.loader import load
from gdl.parser import Description, parse, parse_term
from gdl.problems import Law, Problem
from gdl.ruleset import Ruleset
from gdl.source import Place, Source
from gdl.terms import Atom, Compound, Symbol, Term, Variable, kif

__all__ = [
    "Atom",
    "Compound",
    "Description",
    "DescriptionError",
    "GdlError",
    "GroundingError",
    "Law",
    "Place",
    "Problem",
    "Ruleset",
    "Source",
    "Symbol",
    "Term",
    "UnreadableError",
    "Variable",
    "check",
    "kif",
    "load",
    "parse",
    "parse_term",
]
