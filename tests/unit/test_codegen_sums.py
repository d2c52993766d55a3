"""Checksums as sums of values in C: the same as of packed bytes, for lists of any shape, corners among the values."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest
from hlir_builder import AT

from macsad.compilation import Request, generate_c, load
from macsad.resources import share
from transpiler.codegen.c.nodes import Cast, Literal, Name
from transpiler.codegen.c.printer import Printer, expression as printed
from transpiler.codegen.ctypes import natural
from transpiler.codegen.sums import can_be_summed, sum_of
from transpiler.externs import algorithms
from transpiler.hlir.expressions import Const, Expression, Read, VariableRef
from transpiler.hlir.types import Bits, Varbit, width_of
from transpiler.optimisations import ALL
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

COUNT = 300
SHIFTED = [[first, *(width,) * 9] for width in (33, 40, 48, 64) for first in (1, 8, 15, 16)]
FOLDS = """
    static const uint64_t at[] = {0, 0xffff, 0x10000, 0x1fffe, 0x1ffff, 0xfffeffff, 0xffffffff, UINT64_C(0x1fffffffe),
                                  UINT64_C(0xfffffffeffffffff), UINT64_C(0xffff0000ffff0000), UINT64_MAX};
    for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++)
        for (uint64_t n = at[i] > 70000 ? at[i] - 70000 : 0, count = 0; count < 140000 && n >= count; n++, count++) {
            uint64_t folded = n;
            while (folded >> 16)
                folded = (folded & 0xffff) + (folded >> 16);
            if (macs_checksum_of_sum(n) != (~folded & 0xffff))
                printf("%" PRIx64 " is folded wrongly\\n", n);
        }
"""


class Values:
    """Stands for Expressions: every value is a C variable; with `side_by_side` values that are together are one."""

    def __init__(self, side_by_side: bool) -> None:
        self.declared: list[str] = []
        self.side_by_side = side_by_side

    def __call__(self, expression: Expression) -> Name:
        return self._declared(width_of(expression.type), _number(expression))

    def together(self, values: tuple[Expression, ...]) -> Name | None:
        if not self.side_by_side:
            return None
        number = 0
        for value in values:
            number = number << width_of(value.type) | _number(value)
        return self._declared(sum(width_of(value.type) for value in values), number)

    def _declared(self, width: int, value: int) -> Name:
        name = f"v{len(self.declared)}"
        self.declared.append(f"volatile uint{natural(width)}_t {name} = UINT64_C({value});")
        return Name(name)


def _number(expression: Expression) -> int:
    assert isinstance(expression, Read) and isinstance(expression.place, VariableRef)
    return int(expression.place.name)


def test_c_and_interpreter_agree(tmp_path: Path) -> None:
    random = Random(3)
    functions, expected = [], []
    for number in range(COUNT):
        widths = [random.choice((1, 4, 7, 8, 13, 16, 17, 31, 32, 33, 48, 63, 64)) for _ in range(random.randint(1, 8))]
        widths = [*random.choice(((), (4, 4, 8, 16), (16, 3, 13), (16, 16, 1, 31), (8, 24, 8, 8, 16))), *widths]
        values = [random.choice((0, (1 << w) - 1, random.getrandbits(w))) for w in widths]
        if number < len(SHIFTED):  # large values, which together fill the sum's bits where they are shifted most
            widths = SHIFTED[number]
            values = [(1 << w) - 1 for w in widths]
        items = [
            Const(v, Bits(w), AT) if random.random() < 0.2 else Read(VariableRef(str(v), AT), Bits(w), AT)
            for v, w in zip(values, widths, strict=True)
        ]
        before = random.choice((None, 0, 0xFFFF, random.getrandbits(16)))
        render = Values(side_by_side=random.random() < 0.5)
        added, result = sum_of(render, tuple(items), None if before is None else Cast("uint16_t", Literal(str(before))))  # type: ignore[arg-type]
        body = (*render.declared, Printer().body(added), f"return {printed(result)};")
        functions.append("\n".join([f"static uint64_t f{number}(void) {{", *body, "}"]))
        whole = int("".join(f"{v:0{w}b}" for v, w in zip(values, widths, strict=True)) + "0" * (-sum(widths) % 16), 2)
        data = whole.to_bytes(-(-sum(widths) // 16) * 2, "big")
        expected.append(algorithms.extend("csum16", 0xFFFF if before is None else before, data))
    calls = [f'    printf("%" PRIu64 "\\n", f{number}());' for number in range(COUNT)]
    head = ["#include <inttypes.h>", "#include <stdio.h>", "#include <macs/checksum.h>"]
    said = run("\n".join([*head, *functions, "int main(void) {", *calls, FOLDS, "}"]), tmp_path)
    assert list(map(int, said)) == expected


def run(source: str, folder: Path) -> list[str]:
    tools = toolchain.find(optimise="-O1", sanitize=("undefined",))
    file, binary = folder / "t.c", folder / "t"
    file.write_text(source)
    command = [
        *tools.compiler,
        *tools.all_flags,
        *include_flags(share("aux-backend"), tools),
        str(file),
        "-o",
        str(binary),
    ]
    done = subprocess.run([*command, *tools.link_flags], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return subprocess.run([binary], capture_output=True, text=True, check=True, timeout=60).stdout.split("\n")[:-1]


@pytest.mark.parametrize(("type_", "fits"), [(Bits(64), True), (Bits(65), False), (Varbit(32), False)], ids=str)
def test_what_is_no_c_integer_is_packed(type_: Bits | Varbit, fits: bool) -> None:
    assert can_be_summed((Read(VariableRef("x", AT), type_, AT),)) is fits


def test_what_the_parser_has_loaded_is_summed_by_words_of_the_frame() -> None:
    """Where headers stay in place: the words whose fields the stage does not write."""
    path = share("apps") / "balancer" / "balancer.p4"
    word = "sum += (uint32_t)macs_load_bytes(packet->data + 14"
    there, less = (
        generate_c(request, load(request)).c
        for request in (Request(path), Request(path, wanted=ALL.without(("in-place",))))
    )
    assert there.count(f"{word}, 4)") == there.count(f"{word} + 4, 4)") == 1 and "hdr_ipv4_tos" not in there
    assert word not in less and "(uint32_t)hdr_ipv4_tos << 16" in less
