"""What each architecture says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.hlir.program import Control, Parser, Role


@dataclass(frozen=True, slots=True)
class Facts:
    """`roles`: what its pipes are, in the order in which packets pass them; a program may lack some.
    `one_storage`: all pipes see the same headers and metadata, which are parsed once; else each pipeline parses its own."""

    roles: Mapping[Role, type[Parser] | type[Control]]
    one_storage: bool
