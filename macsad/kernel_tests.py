"""The logic of `macsad test-kernel`: builds the programs of aux-backend/kernel_tests for table kernels, and runs them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from macsad import kernel_contract
from macsad.kernel_subjects import Shape, shapes, subjects
from macsad.resources import share
from transpiler.targets.target import BadKernel, Kernel, Target
from transpiler.toolchain.backend import Progress, archive, command, run, target_sources
from transpiler.toolchain.toolchain import Toolchain, ToolchainError, find

SAME_HASHES = "-DMACS_HASH_MASK=UINT64_C(0x3f8000000)"  # there are 128, and all of their tags are the same
WRAPPED = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc"
STRICT = ("-Werror", "-Wno-error=unused-function")  # what an operation that was forgotten would have called
FOLDERS = ("tables",)  # of the backend, which kernels use
OPERATIONS, FEW, FAILING_OPERATIONS, READERS_MS = 10_000, 500, 3_000, 500
FAILING = (2, 7)  # each so-many-th allocation
MISSING = 3  # what conformance.c exits with where an operation is missing
TIMEOUT_S = 300
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Build:
    """How the programs are compiled. `sanitize`: the C compiler's sanitizers, left out where it has none."""

    sanitize: tuple[str, ...]
    flags: tuple[str, ...] = ()


MEMORY, HASHES, RACES = (
    Build(("address", "undefined")),
    Build(("address", "undefined"), (SAME_HASHES,)),
    Build(("thread",)),
)


@dataclass(frozen=True, slots=True)
class Check:
    """What a run of a program tells of a kernel; once for each list of arguments."""

    what: str
    build: Build
    program: str
    runs: tuple[tuple[str, ...], ...]


def checks(kernel: Kernel, seed: int) -> tuple[Check, ...]:
    """All checks of a kernel, the simplest first. Raises: BadKernel."""
    keys = shapes(kernel)
    longest = max(keys, key=lambda shape: shape.key_bytes)

    def random(shape: Shape, operations: int, failing: int = 0) -> tuple[str, ...]:
        numbers = (shape.key_bytes, shape.exact_bytes, operations, seed, failing, shape.range_bytes)
        return (kernel.name, *map(str, numbers))

    # a kernel of one prefix may have an array by its first bits, which a short prefix takes long to fill
    every = tuple(random(shape, FEW if kernel.alone and shape.key_bytes > 2 else OPERATIONS) for shape in keys)
    failing = tuple(random(longest, FEW if kernel.alone else FAILING_OPERATIONS, each) for each in FAILING)
    return (
        Check("its operations keep the contract of macs/table.h", MEMORY, "conformance", ((kernel.name,),)),
        Check("random changes and lookups agree with the kernel linear", MEMORY, "random", every),
        Check("without memory nothing changes", MEMORY, "random", failing),
        Check("keys of the same hash are told apart", HASHES, "random", every),
        Check("readers beside a writer find what is there", RACES, "concurrent",
              ((kernel.name, str(READERS_MS), str(seed)),)),
    )  # fmt: skip


def test(
    kernels: tuple[Kernel, ...], target: Target, compiler: str | None, seed: int, tell: Tell, progress: Progress
) -> bool:
    """Test kernels of a target, and print the results. Returns whether all passed. Raises: BadKernel, ToolchainError."""
    plain = find(compiler=compiler)
    for kernel in kernels:
        if kernel.own_header:
            kernel_contract.check(kernel, target, plain)
    with tempfile.TemporaryDirectory(prefix="macsad-") as folder:
        bench = _Bench(kernels, target, compiler, Path(folder), progress)
        for lacking in bench.lacking:
            tell(f"left out: {compiler or 'gcc'} has no {lacking} sanitizer here")
        try:
            passed = [_passes(check, kernel, bench, tell) for kernel in kernels for check in checks(kernel, seed)]
        except ToolchainError as failed:
            kernel_contract.explain(target, plain, failed)
            raise
        return all(passed)


def _passes(check: Check, kernel: Kernel, bench: _Bench, tell: Tell) -> bool:
    binary = bench.binary(check.program, check.build)
    for arguments in check.runs:
        done = _run([str(binary), *arguments])
        if done.returncode == MISSING and check.program == "conformance":
            raise bench.lacks_operation(kernel, done.stderr.strip().rpartition(" ")[2])
        if done.returncode:
            tell(f"{kernel.name}: FAILED: {check.what}")
            tell(f"    {check.program} {' '.join(arguments)}: exit {done.returncode}\n{done.stderr.strip()}")
            return False
    tell(f"{kernel.name}: {check.what}")
    return True


def _run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """A program's end; a sanitizer that cannot place its memory among randomised addresses is run without these."""
    for wrapper in ([], ["setarch", "-R"]):
        try:
            done = subprocess.run(
                [*wrapper, *words], capture_output=True, text=True, errors="replace", check=False, timeout=TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 124, "", f"it has not ended after {TIMEOUT_S} s")
        except OSError as error:
            raise ToolchainError(f"cannot run {(*wrapper, *words)[0]}: {error.strerror}") from None
        if "unexpected memory mapping" not in done.stderr:
            break
    return done


class _Bench:
    """The programs, each compiled when it is first wanted. `lacking`: sanitizers that the compiler has not."""

    def __init__(
        self, kernels: tuple[Kernel, ...], target: Target, compiler: str | None, folder: Path, progress: Progress
    ) -> None:
        self._target, self._compiler, self._folder, self._progress = target, compiler, folder, progress
        self._backend = share("aux-backend")
        self._subjects = folder / "subjects.c"
        self._subjects.write_text(subjects(kernels))
        wanted = dict.fromkeys(name for build in (MEMORY, RACES) for name in build.sanitize)
        self.lacking = tuple(name for name in wanted if not self._works(name))
        self._built: dict[tuple[str, Build], Path] = {}

    def binary(self, program: str, build: Build) -> Path:
        """Raises: ToolchainError."""
        if (program, build) not in self._built:
            made = self._folder / f"{program}-{len(self._built)}"
            tools = self._tools(tuple(name for name in build.sanitize if name not in self.lacking))
            tools = replace(tools, compile_flags=(*tools.compile_flags, *build.flags))
            library = archive(self._backend, tools, self._progress, FOLDERS)
            tests = self._backend / "kernel_tests"
            words = [*command(self._backend, tools, self._target.c_folders), *STRICT, f"-I{tests}"]
            own = map(str, target_sources(self._target.c_folders))
            files = [str(tests / f"{program}.c"), str(self._subjects), *own, str(library)]
            run([*words, *files, *([WRAPPED] if program == "random" else []), *tools.link_flags, "-o", str(made)])
            self._built[program, build] = made
        return self._built[program, build]

    def lacks_operation(self, kernel: Kernel, operation: str) -> BadKernel:
        what = f"the operations of the kernel '{kernel.name}' have no '{operation}'"
        if operation == "name":
            what += f', or it is not "{kernel.name}"'
        return BadKernel(kernel_contract.operations_of(kernel, self._target), what)

    def _tools(self, sanitize: tuple[str, ...]) -> Toolchain:
        return find(compiler=self._compiler, optimise="-O1", sanitize=sanitize)

    def _works(self, sanitizer: str) -> bool:
        """Whether a program can be built with it, and runs."""
        tools, source, made = self._tools((sanitizer,)), self._folder / "empty.c", self._folder / "empty"
        source.write_text("int main(void) { return 0; }\n")
        try:
            run([*tools.compiler, *tools.all_flags, str(source), *tools.link_flags, "-o", str(made)])
        except ToolchainError:
            return False
        return _run([str(made)]).returncode == 0
