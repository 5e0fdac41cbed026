"""Lanes: a boolean circuit evaluated for 64*W positions at once, one bit each.

The words, in the order in which a game passes through this package:

- **circuit** (`ggp.circuits.circuit`): the game as an and-inverter graph, the input contract.
- **phase** (`phases`): a step number modulo a small period at which some bases (whose turn it is) are known.
- **network** (`network`): a hashed graph under construction; the choice and the bookkeeping are gates like
any other.
- **choice** (`choice`): a uniformly random legal move, built from gates.
- **policy** (`policies`): which of the legal moves a role chooses from; **evidence**: what a playout leaves behind.
- **unrolling** (`unrolling`): steps of the game copied one after another into a network that begins and ends in rows of
  memory (`memory` says which row holds what).
- **lap** (`lap`): one period of steps as a program: here that of playouts from the first position, lanes refilled,
  results counted; those of a search are in `searchlaps`.
- **cover** (`cover`): the network as three-input look-up tables, one machine instruction each.
- **program** (`program`): the tables in an order, with the row or slot of every value.
- **way** (`ways`): what runs a program, machine code (`native`) for AVX-512 or AVX2, or the **interpreter**
(`interpreter`); same bits.
- **engine** (`engine`): all programs of one circuit, each made when it is first used.
- **bank** (`bank`): the rows of many lanes and what one does with them.
"""

VARIABLE = "GGP_LANES"
"""Of the environment: the name of the way in which programs run, or nothing for the fastest."""
