"""What was learned of games, kept on disk for later matches: in which position which move, and how sure that is.

A *base* is the file of one game, found by a key of its rules that does not depend on names (`gdl.canonical`); a *shelf*
is a folder of bases, with a log of what was done to them. A *record* is what is known of one position for the role that
chooses there: the move that a search found best, how often that search came by and how often it took that move, and the
goals that are expected of it, or proven. Its *confidence* is that of Li et al. 2014: α·v_i/V + win rate.

`records` is what a record is and which of two stands, `table` how they lie in memory, `base` the file, `names` what
positions and moves are called whatever their names, `shelf` where bases are.
"""
