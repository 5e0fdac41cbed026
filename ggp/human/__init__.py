"""People at the terminal: what they read and type, and their seats at the game master's table."""
