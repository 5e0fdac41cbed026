"""Multi-valued synthesis: a ground program as sums of cubes over variables of many values, and those as gates.

Exactly one move per role is done and at most one base of a proved group holds (always one, if it is *exact*), so every
function of one group is a *set* of its members. The bodies of a head become cubes with one set per group; cubes that
differ in one set only are merged, a set that covers its exact group vanishes, and what a move's legality implies is
dropped beside the move. Only at the end are the sets that are really needed built as disjunctions, the smaller side of
each, sharing what they have in common (`orsets`).

- **group**: a one-hot group as a variable (`groups`); a count is one as well (`counting`)
- **part**: a set of the values of one group, as a mask
- **value**: what an atom is: a literal, a set or a cube of sets (`values`); `literals` makes a literal of it where needed
- **cube**: the conjunction of literals and of parts (`cubes`); a rule's body is one (`bodies`)
- **implied**: what the legality of a move says already (`implications`)
- **rest**, **family**: a cube without its moves; heads that share what moves carry (`carry`, `successors`)
"""

from ggp.circuits.multivalued.synthesis import build_with_sets

__all__ = ["build_with_sets"]
