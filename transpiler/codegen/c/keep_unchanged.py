"""Removes stores to the packet's state of variables that have not changed since they were loaded from it.

ttl = live->ttl; … live->ttl = ttl; (nothing assigns ttl)      →      ttl = live->ttl; …
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.codegen.c.build import LIVE
from transpiler.codegen.c.function import Function
from transpiler.codegen.c.nodes import Assign, Body, Declare, Member, Name
from transpiler.codegen.c.walk import map_bodies, walk


def without_unchanged_stores(function: Function) -> Function:
    """The function, which does the same."""
    changed = {s.target.name for s in walk(function.body) if isinstance(s, Assign) and isinstance(s.target, Name)}
    changed |= {s.name for s in walk(function.body) if isinstance(s, Declare)}
    stores = {
        Assign(variable.value, Name(variable.name))
        for variable in function.variables
        if isinstance(variable.value, Member) and variable.value.of == LIVE and variable.name not in changed
    }

    def live(body: Body) -> Body:
        return tuple(map_bodies(s, live) for s in body if s not in stores)

    return replace(function, body=live(function.body))
