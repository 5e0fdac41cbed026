"""Grounding: from rules with variables to propositional rules over numbered atoms.

    ruleset ──flatten──▶ flat rules ──split──▶ narrow rules ──clingo──▶ ground program

- **flat rule**: a head and a list of literals, no connectives (`rules`, made by `flatten`)
- **permanent** fluents, which no rule changes, are read from the first position
- **splitting** projects variables out of wide rules through auxiliary relations (`split`), guided by estimated sizes
  (`estimates`, `rows`)
- **histories**, lists that only keep a recursion from going in circles, are dropped, where `resolution` proves it
- **diagrams**: static conditions on many variables, too large to list, are told step by step (`diagrams`)
- **free** arguments, which rules leave to whoever asks, are left out of relations; **demand** restricts relations to
  the arguments that somebody asks about
- **ground program**: what the grounder hands over (`gdl.program`)

What is surely small (`bounds`) is ground where it is asked for; all else in a process of its own, which can be stopped
(`process`). Clingo hands over rules and atoms as arrays (`engine`), which kernels go through (`native`).
"""

from gdl.grounding.process import GroundLimits, ground, ground_here

__all__ = ["GroundLimits", "ground", "ground_here"]
