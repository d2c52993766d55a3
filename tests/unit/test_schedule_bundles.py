"""Which registers are bundled: those of one size that are accessed at the same indexes and fit in a line; and how they lie."""

from __future__ import annotations

from hlir_builder import Builder, emit, extract, goto, state

from transpiler.schedule.bundles import Bundle, bundles

MANY, FEWER = 1 << 20, 1 << 19


def bundled(registers: dict[str, tuple[int, int]], *accesses: tuple[str, str], small: str = "") -> tuple[Bundle, ...]:
    """`registers`: width and size by name; `accesses`: writes to a register at what a variable holds."""
    b = Builder()
    b.header("h", "h_t", k=32)
    for variable in ("i", "j", "k"):
        b.variable(variable, 32)
    for width in sorted({width for width, _ in registers.values()}):
        b.variable(f"of_{width}", width)
    for name, (width, size) in registers.items():
        b.extern(name, "register", size=size, width=width)
    body = [b.call("register.write", name, b.get(index), b.get(f"of_{registers[name][0]}")) for name, index in accesses]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, [], [emit("h")])
    return bundles(program, set(registers) - {small})


def test_cells_lie_without_gaps_the_widest_first() -> None:
    registers = {"few": (8, MANY), "long": (100, MANY), "word": (64, MANY), "half": (32, MANY), "two": (9, MANY)}
    (made,) = bundled(registers, *((name, "i") for name in registers))
    assert made == Bundle((("few", 30), ("long", 0), ("word", 16), ("half", 24), ("two", 28)), 32)


def test_a_bundle_is_a_line_at_most() -> None:
    registers = dict.fromkeys("abcdef", (128, MANY))
    made = bundled(registers, *((name, "i") for name in registers))
    assert [tuple(name for name, _ in bundle.registers) for bundle in made] == [tuple("abcd"), tuple("ef")]
    assert [bundle.stride for bundle in made] == [64, 32]


def test_registers_of_other_sizes_or_indexes_lie_alone() -> None:
    registers = {"a": (32, MANY), "b": (32, MANY), "c": (32, FEWER), "d": (32, MANY)}
    assert bundled(registers, ("a", "i"), ("b", "j"), ("c", "i"), ("d", "i"), ("d", "j")) == ()
    for first, second in ((FEWER, MANY), (MANY, FEWER)):
        assert bundled({"a": (32, first), "b": (32, second)}, ("a", "i"), ("b", "i")) == ()
    assert bundled(registers, ("a", "i"), ("a", "j"), ("b", "i"), ("b", "k")) == ()
    (both,) = bundled(registers, ("a", "i"), ("a", "j"), ("b", "j"), ("d", "i"), ("d", "j"))
    assert both == Bundle((("a", 0), ("d", 4)), 8)


def test_registers_that_stay_in_the_cache_or_are_not_used_lie_alone() -> None:
    registers = {"a": (32, MANY), "b": (32, MANY), "unused": (32, MANY)}
    assert bundled(registers, ("a", "i"), ("b", "i"), small="b") == ()
    (made,) = bundled(registers, ("a", "i"), ("b", "i"))
    assert [name for name, _ in made.registers] == ["a", "b"]


def test_a_meter_lies_alone() -> None:
    b = Builder()
    b.header("h", "h_t", k=32)
    b.extern("r", "register", size=MANY, width=32)
    b.extern("m", "meter", size=MANY, unit="packets")
    body = [
        b.call("register.read", "r", b.get("h.k"), out="h.k"),
        b.call("meter.execute", "m", b.get("h.k"), out="h.k"),
    ]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, [], [emit("h")])
    assert bundles(program, {"r", "m"}) == ()


def test_a_stride_is_the_power_of_two_that_all_cells_fit_in() -> None:
    """Exactly filled, no more is taken."""
    for widths, stride in (((32, 32), 8), ((32, 64), 16), ((8, 8, 16), 4), ((64, 64, 64, 64, 64, 64, 64, 64), 64)):
        registers = {f"r{n}": (width, MANY) for n, width in enumerate(widths)}
        (made,) = bundled(registers, *((name, "i") for name in registers))
        assert made.stride == stride and len(made.registers) == len(widths)
