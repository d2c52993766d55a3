"""Installed libraries, as pkg-config knows them: what compiling for them and linking with them takes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from transpiler.toolchain.architectures import ARCHITECTURES
from transpiler.toolchain.errors import ToolchainError, words

Flags = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packages:
    """Those of this machine, or those that the environment names for another one; or only those of a sysroot.

    `cross`: what is linked runs on another machine, where libraries are in other folders than here.
    """

    cross: bool = False
    sysroot: Path | None = None
    arch: str = ""  # the sysroot's

    @property
    def available(self) -> bool:
        """There is a pkg-config."""
        return shutil.which(self._command[0]) is not None

    def knows(self, package: str) -> bool:
        return self.available and self._ask("--exists", package).returncode == 0

    def complaint(self, package: str) -> str:
        """What is wrong with a package that is there and not known: another one, that it requires, is not there."""
        said = self._ask("--print-errors", "--exists", package).stderr.strip().splitlines()
        return next((line for line in said if "required by" in line and "virtual:" not in line), "")

    def cflags(self, package: str) -> Flags:
        """Raises: ToolchainError."""
        return self._flags("--cflags", package)

    def libs(self, package: str) -> Flags:
        """Where the package has only static libraries, with all that these need. Raises: ToolchainError."""
        folders, names = self._libraries(package)
        shared = [folder for folder in folders if any((folder / f"lib{name}.so").exists() for name in names)]
        if any(self._only_static(folders, name) for name in names):
            libs = self._flags("--static", "--libs", package)
        else:
            libs = self._flags("--libs", package)
        if self.cross:
            return libs
        given = {Path(flag[2:]) for flag in libs if flag.startswith("-L")}  # a system's own folders are not among them
        return (*libs, *(f"-Wl,-rpath,{folder.resolve()}" for folder in shared if folder in given))

    def _libraries(self, package: str) -> tuple[list[Path], list[str]]:
        """The folders that a package's libraries are in, a system's own too, and their names."""
        flags = self._flags("--libs", package, PKG_CONFIG_ALLOW_SYSTEM_LIBS="1")
        folders = dict.fromkeys(Path(flag[2:]) for flag in flags if flag.startswith("-L"))
        return list(folders), [flag[2:] for flag in flags if flag.startswith("-l")]

    @staticmethod
    def _only_static(folders: list[Path], name: str) -> bool:
        """The linker takes the archive: the first folder that has the library has it as an archive only."""
        for folder in folders:
            if (folder / f"lib{name}.so").exists():
                return False
            if (folder / f"lib{name}.a").exists():
                return True
        return False

    def _flags(self, *command: str, **environment: str) -> Flags:
        done = self._ask(*command, **environment)
        if done.returncode:
            asked = " ".join((*self._command, *command))
            raise ToolchainError(f"{self._command[0]} failed ({done.returncode}): {asked}\n{done.stderr.strip()}")
        return tuple(shlex.split(done.stdout))

    def _ask(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [*self._command, *command], capture_output=True, text=True, errors="replace", check=False,
                env=self._environment | environment,
            )  # fmt: skip
        except OSError as error:
            raise ToolchainError(f"cannot run {self._command[0]}: {error.strerror}") from None

    @property
    def _command(self) -> Flags:
        """$PKG_CONFIG is what build systems call it by: an SDK's, or Debian's aarch64-linux-gnu-pkg-config."""
        chosen = os.environ.get("PKG_CONFIG", "") if self.sysroot is None else ""
        return words("PKG_CONFIG", chosen) or ("pkg-config",)

    @property
    def _environment(self) -> dict[str, str]:
        """With a sysroot: only what is in it is known."""
        if self.sysroot is None:
            return dict(os.environ)
        usr = self.sysroot / "usr"
        triplet = [ARCHITECTURES[self.arch].triplet] if self.arch in ARCHITECTURES else []
        libraries = [usr / "lib" / name for name in (*triplet, "")]  # Debian's place, and that of others
        folders = [at / "pkgconfig" for at in (*libraries, usr / "share")]
        known = {name: value for name, value in os.environ.items() if not name.startswith("PKG_CONFIG")}
        places = {"PKG_CONFIG_LIBDIR": ":".join(map(str, folders)), "PKG_CONFIG_SYSROOT_DIR": str(self.sysroot)}
        return known | places
