"""Circuits: ground programs as small and-inverter graphs.

    ground program ──build──▶ net ──passes──▶ net ──emit──▶ circuit

- **net**: gates under construction (`graph`), made by `build` (plain) or `multivalued` (one-hot groups as variables);
  in kernels, gates are arrays (`gates`, `factor`, `translate`) and nets are rows of many-input gates (`manyinput`,
  `pairs`)
- **pass**: a small switchable function that makes a net smaller: `regroup`, `orsets`, `resub`, …
- **invariant**: a fact about all reachable positions, proved (`invariants`, `solver`), that passes may rely on
- **circuit**: the result in flat arrays (`circuit`); `compile` runs the stages
"""
