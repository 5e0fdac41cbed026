"""The laws that can be checked without playing, by topic. Each function checks one law of a ruleset and reports."""
