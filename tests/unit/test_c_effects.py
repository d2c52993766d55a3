"""What code generation knows of the backend's functions is what their prototypes say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from transpiler.codegen.c.effects import acts, written_arguments
from transpiler.codegen.c.nodes import Call
from transpiler.externs.register import UPDATES

ROOT = Path(__file__).parents[2]
PROTOTYPE = re.compile(
    r"^[ \t]*((?:static inline |MACS_\w+INLINE |)[a-z][\w ]*[ *])(macs_\w+)\(([^()]*)\)", re.MULTILINE
)


def prototypes() -> dict[str, tuple[str, tuple[int, ...]]]:
    """Function → the type that it gives, and the arguments that it may write through. Of those over wide numbers, two limbs."""
    found = {}
    for header in (ROOT / "aux-backend" / "include" / "macs").glob("*.h"):
        text = re.sub(r"[ \t]*\\\n", "\n", header.read_text()).replace("##N##", "2").replace("##N", "2")
        for type_, name, parameters in PROTOTYPE.findall(text):
            listed = [" ".join(parameter.split()) for parameter in parameters.split(",")]
            into = [n for n, p in enumerate(listed) if ("*" in p or "[" in p) and not p.startswith("const ")]
            found[name] = re.sub(r"static inline |MACS_\w+INLINE ", "", type_).strip(), tuple(into)
    return found


def called() -> set[str]:
    """The functions that code generation names in a call."""
    sources = (
        source
        for folder in ("codegen", "externs", "architectures")
        for source in (ROOT / "transpiler" / folder).rglob("*.py")
    )
    return {name for source in sources for name in re.findall(r'call\(\s*f?"(macs_\w+)"', source.read_text())}


def test_functions_that_only_write_through_arguments() -> None:
    known = prototypes()
    told = {name: into for name in known if (into := written_arguments(Call(name))) is not None}
    assert {"macs_store_bits", "macs_append_bits", "macs_register_read", "macs_w2_store"} <= told.keys()
    assert told == {name: known[name][1] for name in told}
    assert {known[name][0] for name in told} == {"void"}
    assert written_arguments(Call("memset")) == (0,)


def test_functions_that_do_more_than_give_a_value() -> None:
    """A value that is given with something changed, if not only an address is asked for: a meter, a random number, a frame."""
    known = prototypes()
    giving = {name: into for name, (type_, into) in known.items() if type_ != "void" and not type_.endswith("*")}
    change = {name for name in called() & giving.keys() if giving[name]}
    assert {"macs_meter_execute", "macs_random_range", "macs_layout_resize"} <= change
    assert {name for name in giving if acts(Call(name))} >= change
    assert all(giving[name] for name in giving if acts(Call(name)))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_updates_of_cells_are_done_though_nothing_wants_what_they_held(bits: int) -> None:
    """Of all widths, which the backend makes by a macro; reads and prefetches may go."""
    for name in (*UPDATES, "replace"):
        assert acts(Call(f"macs_register_{name}{bits}")), name
    assert not acts(Call(f"macs_register_read{bits}")) and not acts(Call(f"macs_register_prefetch{bits}"))
