"""Positions to test the chess games with: FEN, the fluents of the first state, and published perft numbers.

`POSITIONS[fen]` is the list of fluents that hold, as text, for chess.kif; a variant of the file begins there when all its
`init` rules are replaced by `(init FLUENT)` for each of them (see `variant`). chess_200.kif needs `GAME_CLOCK` as well.
Every number in `PERFT` was found by the rules in GDL, too (on a circuit); numbers from the public perft suites.
"""

KINDS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
GAME_CLOCK = ["(game_units 0)", "(game_tens 0)"]


def fluents(fen: str) -> list[str]:
    """The fluents of a position; the two counters of a FEN are ignored, the clock of fifty moves begins at 0."""
    board, turn, castling, passed = fen.split()[:4]
    found = []
    for rank, row in zip(range(8, 0, -1), board.split("/"), strict=True):
        squares = "".join("." * int(c) if c.isdigit() else c for c in row)
        for file, man in zip("abcdefgh", squares, strict=True):
            if man != ".":
                found.append(f"(piece {file} {rank} {KINDS[man.lower()]})")
                found.append(f"(colour {file} {rank} {'white' if man.isupper() else 'black'})")
    found.append(f"(control {'white' if turn == 'w' else 'black'})")
    found.extend(
        f"(castling {'white' if side.isupper() else 'black'} {'short' if side in 'kK' else 'long'})"
        for side in castling.replace("-", "")
    )
    if passed != "-":
        found.append(f"(passed {passed[0]})")
    return [*found, "(units 0)", "(tens 0)"]


PERFT = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": {1: 20, 2: 400, 3: 8902},
    # kiwipete
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": {1: 48, 2: 2039, 3: 97862},
    # position 3: en passant that would open a rank
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": {1: 14, 2: 191, 3: 2812, 4: 43238},
    # position 4 and its mirror image: promotions, castling, check
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": {1: 6, 2: 264, 3: 9467},
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1": {1: 6, 2: 264, 3: 9467},
    # position 5
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": {1: 44, 2: 1486, 3: 62379},
    # position 6
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": {1: 46, 2: 2079, 3: 89890},
    # en passant and pins
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1": {6: 1134888},
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1": {6: 1440467},
    # castling
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1": {6: 661072},
    "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1": {6: 803711},
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1": {4: 1274206},
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1": {4: 1720476},
    # promotion, stalemate, mate
    "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1": {5: 1004658},
    "4k3/1P6/8/8/8/8/K7/8 w - - 0 1": {6: 217342},
    "8/P1k5/K7/8/8/8/8/8 w - - 0 1": {6: 92683},
    "K1k5/8/P7/8/8/8/8/8 w - - 0 1": {6: 2217},
    "8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1": {4: 23527},
}

POSITIONS = {fen: fluents(fen) for fen in PERFT}


def variant(source: str, fen: str, *, game_clock: bool = False) -> str:
    """The rules with another first state: all `init` rules, laid out as by `ggp format`, are replaced."""
    lines, skipping = [], False
    for line in source.splitlines():
        if not line.startswith(" "):
            skipping = line.startswith(("(init ", "(<= (init "))
        if not skipping:
            lines.append(line)
    state = fluents(fen) + (GAME_CLOCK if game_clock else [])
    return "\n".join([*lines, *(f"(init {fluent})" for fluent in state)]) + "\n"
