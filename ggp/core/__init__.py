"""What every part of the program may import: errors, kernels, the cache, progress; nothing in here knows a game."""
