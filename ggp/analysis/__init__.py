"""Analysis: one search of one position, to be looked at while it goes on and afterwards."""
