"""Straight-line code for a program: which value is in which register or slot when.

A lap has no branches, so every future use is known and registers can be given away by the furthest next use
(Belady). The result is a list of abstract instructions; `native` writes them as assembler. A value read once
more from memory costs nothing extra (it is the memory operand of the instruction that uses it), so values are
loaded into a register only when an instruction would have two memory operands, or would destroy its first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ggp.banks.interpreter import last_uses
from ggp.banks.program import COUNT, FEED, LUCK, STORE, TABLE, Program
from ggp.banks.tables import reorder

NEVER = 1 << 60
REGISTERS = 32


@dataclass(frozen=True)
class Memory:
    """A row of the block, or a slot for an intermediate value."""

    index: int
    slot: bool


@dataclass(eq=False)
class Listing:
    """Abstract instructions: (name, *arguments); a place is a register number or a Memory."""

    lines: list[tuple[object, ...]] = field(default_factory=list)
    slots: int = 0
    spills: int = 0  # stores of intermediate values
    loads: int = 0  # instructions that only load


class Allocator:
    """Walks over the operations once and writes the listing."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.listing = Listing()
        values = len(program.row)
        self.register = [-1] * values
        self.home: list[Memory | None] = [Memory(r, False) if r >= 0 else None for r in program.row.tolist()]
        self.next_use = [NEVER] * values
        self.holds = [-1] * REGISTERS
        self.idle = list(range(REGISTERS - 1, -1, -1))
        self.free_slots: list[int] = []
        self.last: list[int] = last_uses(program).tolist()
        self.operands: list[list[int]] = program.operands.tolist()
        self.following = self._following()

    def _following(self) -> list[list[int]]:
        """For each operand of each operation the next operation that uses the same value."""
        later = [NEVER] * len(self.program.row)
        out: list[list[int]] = [[]] * len(self.operands)
        for i in range(len(self.operands) - 1, -1, -1):
            out[i] = [later[x] if x >= 0 else NEVER for x in self.operands[i]]
            for x in self.operands[i]:
                if x >= 0:
                    later[x] = i
        for x in range(len(later)):
            self.next_use[x] = later[x]
        return out

    def run(self) -> Listing:
        """Allocate the whole program."""
        p = self.program
        what, table, target = p.what.tolist(), p.table.tolist(), p.target.tolist()
        for number, (lo, hi, loop) in enumerate(p.segments):
            if loop:
                rows = [target[i] for i in range(lo, hi) if what[i] == FEED]
                self._emit("open", number)
                self._clear_rows(rows)
                self._emit("label", number)
            for i in range(lo, hi):
                x = [v for v in self.operands[i] if v >= 0]
                for v, use in zip(self.operands[i], self.following[i], strict=True):
                    if v >= 0:
                        self.next_use[v] = use
                if what[i] == TABLE:
                    self._table(table[i], target[i], x)
                elif what[i] == LUCK:
                    self._luck(target[i], x)
                elif what[i] == STORE:
                    self._emit("store", Memory(target[i], False), self._in_register(x[0], x))
                elif what[i] == COUNT:
                    spare = self._take(x)
                    self._emit("count", Memory(target[i], False), spare, self._place(x[0]))
                    self.idle.append(spare)
                else:
                    spare, value = self._take(x), self._in_register(x[0], x)
                    self._emit("feed", Memory(target[i], False), spare, value)
                    self.idle.append(spare)
                self._release(i, x)
            if number + 1 < len(p.segments):
                self._flush(hi)
            if loop:
                self._emit("again", number)
        return self.listing

    def _emit(self, *line: object) -> None:
        self.listing.lines.append(line)

    def _clear_rows(self, rows: list[int]) -> None:
        spare = self._take([])
        self._emit("constant", spare, 0)
        for row in rows:
            self._emit("store", Memory(row, False), spare)
        self.idle.append(spare)

    def _place(self, value: int) -> int | Memory:
        if self.register[value] >= 0:
            return self.register[value]
        home = self.home[value]
        assert home is not None
        return home

    def _take(self, keep: list[int]) -> int:
        """An idle register; if there is none, that of the value whose next use is furthest and not in
        `keep`.
        """
        if self.idle:
            return self.idle.pop()
        best, worst = -1, -1
        for r, v in enumerate(self.holds):
            if v >= 0 and v not in keep and self.next_use[v] > worst:
                best, worst = r, self.next_use[v]
        value = self.holds[best]
        self._save(value)
        self.register[value] = -1
        self.holds[best] = -1
        return best

    def _save(self, value: int) -> None:
        """Make sure that a value is in memory too."""
        if self.home[value] is None:
            slot = self.free_slots.pop() if self.free_slots else self.listing.slots
            self.listing.slots = max(self.listing.slots, slot + 1)
            self.home[value] = Memory(slot, True)
            self.listing.spills += 1
            self._emit("store", self.home[value], self.register[value])

    def _in_register(self, value: int, keep: list[int]) -> int:
        if self.register[value] < 0:
            r = self._take(keep)
            self._emit("load", r, self._place(value))
            self.listing.loads += 1
            self._assign(value, r)
        return self.register[value]

    def _assign(self, value: int, r: int) -> None:
        self.register[value], self.holds[r] = r, value

    def _release(self, i: int, values: list[int]) -> None:
        for v in values:
            if self.next_use[v] == NEVER and self.register[v] >= 0:
                r = self.register[v]
                self.register[v] = -1
                if self.holds[r] == v:
                    self.holds[r] = -1
                    self.idle.append(r)
            home = self.home[v]
            if self.last[v] <= i and home is not None and home.slot:
                self.free_slots.append(home.index)
                self.home[v] = None

    def _flush(self, position: int) -> None:
        """Nothing stays in registers over the edge of a segment."""
        for r, v in enumerate(self.holds):
            if v >= 0:
                if self.last[v] >= position:
                    self._save(v)
                self.register[v], self.holds[r] = -1, -1
                self.idle.append(r)

    def _dying(self, values: list[int]) -> list[int]:
        return [v for v in values if self.register[v] >= 0 and self.next_use[v] == NEVER]

    def _result(self, values: list[int]) -> int:
        """A register for a result that may overwrite an operand."""
        dying = self._dying(values)
        if dying:
            return self.register[dying[0]]
        return self._take(values)

    def _luck(self, d: int, x: list[int]) -> None:
        a, b = x
        if self.register[a] < 0 and self.register[b] >= 0:
            a, b = b, a
        first = self._in_register(a, x)
        r = self._result(x)
        self._emit("luck", r, first, self._place(b))
        self._assign(d, r)

    def _table(self, table: int, d: int, x: list[int]) -> None:
        if not x:
            r = self._take(x)
            self._emit("constant", r, table)
        elif len(x) == 1:
            r = self._result(x)
            self._emit("load" if table == 0xAA else "not", r, self._place(x[0]))
        elif len(x) == 2:
            if all(self.register[v] < 0 for v in x):
                self._in_register(min(x, key=lambda v: self.next_use[v]), x)
            order = (0, 1, 2) if self.register[x[0]] >= 0 else (1, 0, 2)
            a, b = x[order[0]], x[order[1]]
            r = self._result(x)
            self._emit("two", r, self.register[a], self._place(b), reorder(table, order))
        else:
            r = self._three(table, x)
        self._assign(d, r)

    def _three(self, table: int, x: list[int]) -> int:
        """R = table(r, b, c): the first operand is overwritten, the last may be in memory."""
        dying = self._dying(x)
        memory = [k for k in range(3) if self.register[x[k]] < 0]
        if dying:
            first = x.index(dying[0])
            while len(memory) > 1:
                k = min(memory, key=lambda k: self.next_use[x[k]])
                self._in_register(x[k], x)
                memory.remove(k)
            r = self.register[x[first]]
        else:
            # the overwritten copy comes from memory if anything does: a load is not dearer than a move
            while len(memory) > 2:
                k = min(memory, key=lambda k: self.next_use[x[k]])
                self._in_register(x[k], x)
                memory.remove(k)
            first = max(memory, key=lambda k: self.next_use[x[k]]) if memory else 0
            r = self._take(x)
            self._emit("load", r, self._place(x[first]))
            self.listing.loads += 1
            memory = [k for k in memory if k != first]
        rest = [k for k in range(3) if k != first]
        if rest[0] in memory:
            rest.reverse()
        order = (first, rest[0], rest[1])
        place = self._place(x[rest[1]])
        self._emit("three", r, self._place(x[rest[0]]), place, reorder(table, order))
        return r
