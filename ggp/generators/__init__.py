"""Artificial games, made from a seed: in memory as arrays, and as descriptions in GDL."""
