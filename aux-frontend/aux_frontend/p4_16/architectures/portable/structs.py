"""The architecture's own structures, as `ingress_input` of PSA or `main_input` of PNA: their fields are intrinsics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aux_frontend.p4_16.elaborate import values as va
from transpiler.hlir import expressions as ex


def intrinsics(structs: Sequence[str], roots: Mapping[str, va.Location]) -> Iterator[tuple[str, str]]:
    """Their fields, as `main_input.direction`, each with its variable. `roots`: where the structures are that the program has."""
    for root in structs:
        struct = roots.get(root)
        for name, field in struct.fields if isinstance(struct, va.StructLocation) else ():
            if isinstance(field, va.ScalarLocation) and isinstance(field.place, ex.VariableRef):
                yield f"{root}.{name}", field.place.name
