"""Search: UCD, Monte-Carlo search on the graph of positions.

What plays a match, from the outside in:

- **player** (`player`; by name: `presets`, with options: `settings`): keeps the time, asks a search, reports.
- **preparation** (`preparation`): makes searches ready beside the match. **workshop** (`workshop`): the process in
  which what takes seconds is made. **meantime** (`meantime`): what is played by on Prolog, until there is a circuit.
- **search** (`search`): lives as long as the match, on one or more threads. **tree** (`tree`): what one thread works
  on, a **graph** in flat arrays (`graph`, `arrays`; `recycling` makes room) and a crew.
- **crew** (`crew`): lanes and **slots**, each of which carries one simulation at a time; its steps are in `kernels`.
- **playouts** (`playouts`): what new positions are worth, by a policy. **learner** (`learning`): what stands behind
  one that learns: `mast`, `contextual`, `lastgood`, `forest`, `ngrams`, `adapting`; **replies** (`replies`) come step
  by step.
- **choice** (`choice`): the move to play; among proven ones the most **tempting** (`tempting`). **line** (`trace`,
  `lines`): in a game for one role, the best that was found.

What it knows of the game:

- **judging** (`judging`): finding out what suits it, by **duels** (`duels`) of **ideas**; the **verdict** (`verdict`)
  is what came of that, and what it makes of the settings.
- **value** (`valuing`, `weights`): what positions are worth, learned from quick matches. **group** (`groups`): moves
  that belong together.
- **advice** (`advice`): what was learned in other matches. **findings** (`findings`): what is kept of this one.

What searches elsewhere or otherwise:

- **cluster** (`cluster`): workers search the same root, each by a **helper** (`helper`); what they have found, and
  whoever else, counts by **elsewhere** (`elsewhere`).
- **batch** (`batch`): whole matches side by side, for experiments and duels: hundreds of exact searches, each on a
  lane, or searches as in play.
- **reference** (`reference`, with `formulas` and `grouped`): the same in plain Python, for tests and where there is
  no circuit; **slowly** (`slowly`): until a deadline. `inside` looks into the graphs of both.
"""
