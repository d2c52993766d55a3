"""C expressions and the interpreter give the same values: hundreds of random ones in one C file, under UBSan."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hlir_builder import Builder, goto, state
from random_expressions import Maker

from macsad.resources import share
from transpiler.codegen.c.printer import expression as printed
from transpiler.codegen.c.walk import all_names
from transpiler.codegen.ctypes import c_type, initialiser, is_wide, limbs
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.names import Names
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.hlir.expressions import Expression
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Type
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.state import State
from transpiler.schedule.stages import Schedule
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

COUNT = 400
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]


def program_of(variables: dict[Type, list[str]]) -> Program:
    b = Builder()
    for type_, names in variables.items():
        for name in names:
            b.variable(name, type_)
    return b.build([state("start", [], goto("accept"))])


def words(value: int, type_: Type) -> list[int]:
    count = limbs(type_.width) if isinstance(type_, Bits) else 1
    return [value >> 64 * i & (1 << 64) - 1 for i in range(count)]


def c_function(number: int, expression: Expression, program: Program, values: dict[str, int]) -> str:
    """A function that prints an expression's value; what it reads comes from volatiles, so that nothing is folded. It stays
    a function of its own: compilers take far longer for one with all of them."""
    scope = Scope()
    made = Expressions(Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names()), scope)(
        expression
    )
    lines = [f"static __attribute__((noinline)) void e{number}(void) {{"]
    types = {name: variable.type for name, variable in program.variable.items()}
    for name in sorted(scope.locals.keys() & all_names(made)):
        type_ = types[name]
        lines.append(f"    static volatile {c_type(type_)} from_{name} = {printed(initialiser(values[name], type_))};")
        lines.append(f"    {c_type(type_)} {name} = from_{name};")
    lines.append(f"    {c_type(expression.type)} result = {printed(made)};")
    wide = is_wide(expression.type)
    for i in range(len(words(0, expression.type))):
        lines.append(f'    printf("%" PRIx64 " ", (uint64_t){f"result.limb[{i}]" if wide else "result"});')
    return "\n".join([*lines, '    printf("\\n");', "}"])


def build(source: str, compiler: str, folder: Path, optimise: str, sanitize: tuple[str, ...]) -> Path:
    tools = toolchain.find(compiler=compiler, optimise=optimise, sanitize=sanitize)
    file, binary = folder / "t.c", folder / f"t-{compiler}"
    file.write_text(source)
    command = [*tools.compiler, *tools.all_flags, *include_flags(share("aux-backend"), tools), str(file), "-o", binary]
    done = subprocess.run([*map(str, command), *tools.link_flags], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return binary


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("optimise", "sanitize"), [("-O0", ("undefined",)), ("-O1", ())])
def test_c_and_interpreter_agree(compiler: str, optimise: str, sanitize: tuple[str, ...], tmp_path: Path) -> None:
    random = Random(7 if compiler == "gcc" else 8)
    variables: dict[Type, list[str]] = {}
    maker = Maker(random, variables)
    made = [
        maker.bool(3) if random.random() < 0.15 else maker.bits(maker.type(), random.randint(1, 3))
        for _ in range(COUNT)
    ]
    program = program_of(variables)
    values = {name: maker.value(getattr(type_, "width", 1)) for type_, names in variables.items() for name in names}
    wide = sorted({limbs(w) for w in range(65, 500)})
    source = ["#include <inttypes.h>", "#include <stdio.h>", "#include <macs/wide.h>"]
    source += [f"MACS_WIDE({n})" for n in wide]
    source += [c_function(i, e, program, values) for i, e in enumerate(made)]
    source += ["int main(void) {", *(f"    e{i}();" for i in range(COUNT)), "}"]
    binary = build("\n".join(source), compiler, tmp_path, optimise, sanitize)
    done = subprocess.run([binary], capture_output=True, text=True, check=True, timeout=60)
    state_ = State(program)
    state_.variables.update(values)
    for number, (expression, line) in enumerate(zip(made, done.stdout.splitlines(), strict=True)):
        expected = words(evaluate(expression, state_), expression.type)
        assert [int(word, 16) for word in line.split()] == expected, f"e{number}: {expression}"
