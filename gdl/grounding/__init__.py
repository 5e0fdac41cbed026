"""Grounding: from rules with variables to propositional rules over numbered atoms.

    ruleset ──flatten──▶ flat rules ──split──▶ narrow rules ──clingo──▶ ground program

- **flat rule**: a head and a list of literals, no connectives (`rules`, made by `flatten`)
- **permanent** fluents, which no rule changes, are read from the first position
- **splitting** projects variables out of wide rules through auxiliary relations (`split`), guided by estimated sizes
  (`estimates`, `rows`)
- **free** arguments, which rules leave to whoever asks, are left out of relations; **demand** restricts relations to
  the arguments that somebody asks about
- **ground program**: what the grounder hands over (`gdl.program`)

`ground` does it all in a process of its own, which can be stopped.
"""

from gdl.grounding.process import GroundLimits, ground, ground_here

__all__ = ["GroundLimits", "ground", "ground_here"]
