"""The kernels of the search: the four steps of a simulation on flat arrays.

A kernel works on a `Graph`, which holds one or more search graphs, and on `Slots`, each of which carries one simulation
at a time (`layout`; `launching` begins and ends them):

- **descent**: from the root along edges to a position that has no node yet, or whose end is known (`descent`,
  `choosing`);
- **growth**: the lanes play the move that leads there; the table of positions tells whether it is new (`growth`,
  `moves`);
- **playout**: the lanes play at random to the end (`playout`, `lanes`);
- **update**: the payoff is added to the edges (`updating`, `sums`, `values`, `proofs`).

One graph and many slots is one fast search. There, a simulation on its way counts among the playouts of its edges, so
that others go elsewhere. Where one role decides, the means stay: an edge is only explored less, and a new one is not
taken again while its first simulation is under way. Where several roles choose at once, it counts in the means as well,
as if it had come to nothing (virtual loss). Many graphs with one slot each are many exact searches, every one of them
sequential.

Whatever is below is made of `nodes`, `edges` and the `table` of positions; `marking` and `compacting` make room among
them.
"""
