"""Search: UCD, Monte-Carlo search on the graph of positions."""
