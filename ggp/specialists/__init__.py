"""Specialists: programs that play one game only, as GNU Go and Stockfish, at the other end of a pipe.

A *specialist* speaks a *protocol*: GTP, the Go text protocol, or UCI, that of chess engines. The *phrasebook*
(games/specialists.toml) is data: what our names of programs stand for, and how moves of a game of the library are said.
A game is known by its rules (`gdl.canonical`), so that renaming it changes nothing.

`pipe` is a process and its lines, `gtp` and `uci` are the protocols, `spec` is how a specialist is written on the command
line, `phrasebook` what is said, `player` the player made of all that.
"""
