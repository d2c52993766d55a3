"""Variables of generated functions: those of one name in several bodies are told apart."""

from __future__ import annotations

from transpiler.codegen.c.function import Scopes, Variable
from transpiler.codegen.c.nodes import Declare


def test_a_name_is_the_variable_that_was_declared_last_around_it() -> None:
    scopes = Scopes("f", replication=False)
    made = [scopes.declare(Declare("int", "x"))]

    def body() -> None:
        assert scopes.names["x"] == made[0]
        made.append(scopes.declare(Declare("int", "x", size=2)))
        assert scopes.names["x"] == made[-1]

    for _ in range(2):
        scopes.inside(body)
        assert scopes.names["x"] == made[0]
    assert len(set(made)) == 3 and {(v.of, v.name) for v in made} == {("f", "x")}
    assert scopes.arrays == set(made[1:]) and Variable("g", "x", made[0].scope) not in made
