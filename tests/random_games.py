"""Small random games: safe, stratified, with everything that rules may be made of."""

from __future__ import annotations

import random

_CONSTANTS = ["a", "b", "c"]
_FLUENTS = {"lit": 0, "at": 1, "near": 2}


class _Writer:
    """Writes the rules of one game, layer by layer: each relation uses those that exist already, or itself."""

    def __init__(self, generator: random.Random) -> None:
        self.random = generator
        self.known: dict[str, int] = {}
        self.lines: list[str] = []

    def constant(self) -> str:
        return self.random.choice(_CONSTANTS)

    def argument(self, variables: list[str], fresh: bool) -> str:
        roll = self.random.random()
        if roll < 0.25:
            return self.constant()
        if fresh or not variables:
            name = f"?{self.random.choice('xyz')}"
            return f"(f {name})" if roll > 0.95 else name
        return self.random.choice(variables)

    def atom(self, variables: list[str], fresh: bool) -> str:
        """A static or derived atom, or a fluent; with new variables if `fresh`."""
        names = [*self.known.items(), *_FLUENTS.items()]
        name, count = self.random.choice(names)
        arguments = [self.argument(variables, fresh) for _ in range(count)]
        text = f"({name} {' '.join(arguments)})" if arguments else name
        return text if name in self.known else f"(true {text})"

    def body(self, extra: list[str]) -> tuple[list[str], list[str]]:
        """Conditions in any order, and the variables that the positive ones bind."""
        positive = [*extra, *(self.atom([], True) for _ in range(self.random.randint(1, 2)))]
        variables = sorted({v for v in ("?x", "?y", "?z") for text in positive if v in text})
        tests: list[str] = []
        for _ in range(self.random.randint(0, 2)):
            kind = self.random.choice(["not", "not", "distinct", "same", "or", "nor", "local"])
            local = f"?only{len(tests)}"
            if kind == "not":
                tests.append(
                    f"(not {self.atom(variables, False)})" if variables else f"(not (true (at {self.constant()})))"
                )
            elif kind in ("distinct", "same") and variables:
                test = f"(distinct {self.random.choice(variables)} {self.argument(variables, False)})"
                tests.append(test if kind == "distinct" else f"(not {test})")
            elif kind in ("or", "nor") and variables:
                inner = [self.atom(variables, False), self.atom(variables, False), f"(distinct {variables[0]} a)"]
                junction = f"(or {inner[0]} (and {inner[1]} {inner[2]}))"
                tests.append(junction if kind == "or" else f"(not {junction})")
            elif kind == "local":
                tests.append(f"(not (true (near {self.constant()} {local})))")
        body = positive + tests
        self.random.shuffle(body)
        return body, variables

    def rule(self, head: str, count: int, extra: list[str], template: str = "{}") -> None:
        body, variables = self.body(extra)
        arguments = [
            self.random.choice(variables) if variables and self.random.random() < 0.8 else self.constant()
            for _ in range(count)
        ]
        inner = f"({head} {' '.join(arguments)})" if arguments else head
        self.lines.append(f"(<= {template.format(inner)} {' '.join(body)})")


def random_game(generator: random.Random) -> str:
    """The text of a game of two roles."""
    writer = _Writer(generator)
    add = writer.lines.append
    for role in ("me", "you"):
        add(f"(role {role})")
    for name, count in (("item", 1), ("link", 2)):
        facts = {f"({name} {' '.join(writer.constant() for _ in range(count))})" for _ in range(4)}
        writer.lines.extend(sorted(facts))
        writer.known[name] = count
    for name, count in _FLUENTS.items():
        for _ in range(2):
            arguments = " ".join(writer.constant() for _ in range(count))
            add(f"(init ({name} {arguments}))" if arguments else f"(init {name})")
    for i in range(3):
        count = generator.randint(0, 2)
        for _ in range(generator.randint(1, 2)):
            writer.rule(f"view{i}", count, [])
        if count == 2 and generator.random() < 0.7:  # left or right recursion
            parts = [f"(view{i} ?x ?y)", "(link ?y ?z)"]
            generator.shuffle(parts)
            add(f"(<= (view{i} ?x ?z) {' '.join(parts)})")
        writer.known[f"view{i}"] = count
    add("(legal me stay) (<= (legal ?r pass) (role ?r))")
    writer.rule("go", 1, [], "(legal me {})")
    writer.rule("go", 2, ["(role ?z)"], "(legal ?z {})")
    for name, count in _FLUENTS.items():
        writer.rule(name, count, ["(does me (go ?x))"] if generator.random() < 0.5 else [], "(next {})")
        writer.rule(name, count, ["(does ?z pass)"], "(next {})")
    add("(<= (next ?fluent) (true ?fluent) (does you pass))")
    writer.rule("terminal", 0, ["(true (near b b))"])
    add("(<= (goal me 100) terminal) (<= (goal me 0) (not (goal me 100)))")
    writer.rule("goal you 50", 0, [], "({})")
    add("(<= (goal ?r 10) (role ?r) (distinct ?r me))")
    return "\n".join(
        line.replace("((", "(").replace("50))", "50)") if "goal you 50" in line else line for line in writer.lines
    )
