"""What an atom is in terms of multi-valued variables: a literal, a set of values, or a cube of such sets."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from gdl.program import GroundProgram
from ggp.circuits.graph import FALSE, TRUE
from ggp.circuits.multivalued.groups import Groups, Parts
from ggp.circuits.solver import Care


class SetValue(NamedTuple):
    """The disjunction of some sets of different groups, negated if `negative`."""

    sets: Parts
    negative: bool = False


class CubeValue(NamedTuple):
    """The conjunction of some sets of different groups, kept open so that sums of such cubes can merge."""

    sets: Parts


Value: TypeAlias = int | SetValue | CubeValue


def disjunction(parts: Parts, groups: Groups) -> Value:
    """The disjunction of sets; a single set by its smaller side."""
    if len(parts) == 1:
        ((group, mask),) = parts
        if mask == 0:
            return FALSE
        _, full, exact = groups.all[group]
        if exact:
            other = full & ~mask
            if other == 0:
                return TRUE
            if other.bit_count() < mask.bit_count():
                return SetValue(((group, other),), True)
    return SetValue(parts)


class Values:
    """The values of atoms, as far as they are known: of leaves at first. One that is not known never holds.

    move_of   a `does` atom that is one member of its group of moves: its gate. Its set is made anew whenever somebody
              asks: it takes as many bits as there are moves.
    """

    def __init__(self, program: GroundProgram, care: Care) -> None:
        self.groups = Groups()
        self.known: dict[int, Value] = {}
        self.move_of: dict[int, int] = {}
        self._add_bases(program, care)
        self._add_moves(program, care)

    def of(self, atom: int) -> Value:
        """The value of an atom."""
        value = self.known.get(atom)
        if value is not None:
            return value
        gate = self.move_of.get(atom)
        return FALSE if gate is None else SetValue((self.groups.place[gate],))

    def _add_bases(self, program: GroundProgram, care: Care) -> None:
        """Each base is constant, a member of its group, or a variable of its own."""
        self.groups.add_bases(care)
        constant = dict.fromkeys(care.never, FALSE) | dict.fromkeys(care.always, TRUE)
        for i, base in enumerate(program.bases):
            place = self.groups.place.get(1 + i)
            alone: Value = 2 * (1 + i) if place is None else SetValue((place,))
            self.known[base.true] = constant.get(i, alone)

    def _add_moves(self, program: GroundProgram, care: Care) -> None:
        """The moves of each role are a group; or those of all roles together, if only one of them does more than wait."""
        groups, first = self.groups, 1 + len(program.bases)
        roles: list[list[int]] = [[] for _ in program.roles]
        for j, pair in enumerate(program.inputs):
            roles[pair.role].append(j)
        joint = care.moves[0] if care.moves else ()
        for row in [joint] if joint else roles:
            groups.add_moves(first + j for j in row)
        moving = set(joint or range(len(program.inputs)))
        for row in roles:
            own = [j for j in row if j in moving]
            self.move_of.update({program.inputs[j].does: first + j for j in own})
            if len(own) < len(row):  # the role waits while another one does a move of the group
                (group,) = groups.moves
                rest = groups.all[group].full & ~sum(groups.place[first + j][1] for j in own)
                waits: Value = SetValue(((group, rest),)) if rest else FALSE
                self.known.update({program.inputs[j].does: waits for j in row if j not in moving})
