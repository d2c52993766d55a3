"""Our ODP, on plain Linux and over DPDK: conformance (against any installed ODP too), its drivers, real interfaces."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from built_once import built_once
from odp import interfaces

from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import platform_sources

ROOT = Path(__file__).parents[2]
BACKEND = ROOT / "aux-backend"
PLATFORM = BACKEND / "platform" / "linux"
TESTS = Path(__file__).parent / "odp"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
CONFORMANCE = ["init", "atomic", "packet", "layers", "event", "queue", "sync", "misc", "pktio", "crypto"]
LIMITS = ["refused", "refused_ports", "refused_threads", "refused_crypto"]  # of what is taken
INSTALLED = ["libodp-linux", "libodp-dpdk"]
REFUSED = 77
FRAMES = int(os.environ.get("MACS_FRAMES", "40000"))  # through each kind of port: 10000000 takes a quarter of an hour
TIMEOUT = 120 + FRAMES // 10000


def run(*command: str | Path, check: bool = True, **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(  # type: ignore[call-overload]
        [str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT, check=False, **options
    )
    assert not check or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Toolchain:
    """A compiler and flags; the implementation and each program are compiled once for them."""

    compiler: str
    flags: tuple[str, ...]
    runner: tuple[str, ...] = ()
    sources: tuple[Path, ...] = tuple(sorted((PLATFORM / "src").rglob("*.c")))
    includes: tuple[str, ...] = (f"-I{PLATFORM / 'include'}", f"-I{PLATFORM / 'src'}")
    libraries: tuple[str, ...] = ("-pthread",)
    of_ciphers: tuple[str, ...] = ()  # flags that the ciphers' sources alone are compiled with, behind the others
    ciphers_by: str = ""  # a compiler for these alone
    base: Toolchain | None = (
        None  # with the same flags: what does not see this one's `own` folder is compiled for it alone
    )
    own: Path | None = None

    def program(self, name: str, *more_flags: str) -> Path:
        def make(folder: Path) -> None:
            # _GNU_SOURCE is for <pthread.h>: the API itself needs nothing but C11
            flags = ["-std=c11", "-D_GNU_SOURCE", *self.flags, *WARNINGS, *self.includes, *more_flags]
            run(self.compiler, *flags, TESTS / f"{name}.c", *self.objects(), "-o", folder / name, *self.libraries)

        return built_once((self, name, more_flags), make) / name

    def objects(self) -> list[Path]:
        """The implementation, compiled."""

        def make(folder: Path) -> None:
            flags = ["-std=gnu11", *self.flags, *self.of_ciphers, *WARNINGS, *self.includes]
            sources = [path for path in self.sources if not self.of_ciphers or path.parent.name == "crypto"]
            if self.own is not None:
                rules = run(self.compiler, *flags, "-MM", *self.sources).stdout.replace("\\\n", "").splitlines()
                seen = {rule.partition(".o:")[0] for rule in rules if str(self.own) in rule}
                sources = [path for path in sources if path.stem in seen]
            run(self.ciphers_by or self.compiler, *flags, "-c", *sources, cwd=folder)

        compiled = {path.name: path for path in built_once((self, "objects"), make).glob("*.o")}
        if self.of_ciphers:  # the other files are compiled without
            compiled = {path.name: path for path in replace(self, of_ciphers=(), ciphers_by="").objects()} | compiled
        if self.base is not None:
            compiled = {path.name: path for path in self.base.objects()} | compiled
        return [compiled[name] for name in sorted(compiled)]

    def execute(self, name: str, *arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run(*self.runner, self.program(name), *arguments, check=check)


@pytest.fixture(scope="module")
def native() -> Toolchain:
    return Toolchain("gcc", ("-O1", "-g1", *SANITIZE))


@pytest.fixture(scope="module")
def arm() -> Toolchain:
    if not shutil.which("aarch64-linux-gnu-gcc") or not shutil.which("qemu-aarch64-static"):
        pytest.skip("no ARM cross compiler or no qemu-aarch64-static")
    return Toolchain("aarch64-linux-gnu-gcc", ("-O2", "-static"), ("qemu-aarch64-static",))


@pytest.fixture(scope="module")
def dpdk() -> Toolchain:
    try:
        tools = toolchain.find("dpdk")
    except toolchain.ToolchainError as error:
        pytest.skip(str(error))
    return Toolchain(
        "gcc",
        (*tools.compile_flags, "-O1", *SANITIZE),
        sources=tuple(platform_sources(BACKEND, tools)),
        includes=tuple(f"-I{BACKEND / folder}" for folder in tools.includes),
        libraries=tools.link_flags,
    )


@pytest.fixture(scope="module")
def separate(native: Toolchain) -> Toolchain:
    """Descriptions of packets apart from their buffers: `--no-self-described-buffers`."""
    tools = toolchain.find(self_described=False)
    return replace(
        native,
        sources=tuple(platform_sources(BACKEND, tools)),
        includes=tuple(f"-I{BACKEND / folder}" for folder in tools.includes),
        base=native,
        own=BACKEND / "platform" / "separate",
    )


def record(data: bytes, seconds: int, fraction: int, order: str, wire: int | None = None) -> bytes:
    return struct.pack(order + "IIII", seconds, fraction, len(data), wire if wire is not None else len(data)) + data


def header(order: str = "<", magic: int = 0xA1B2C3D4, link: int = 1) -> bytes:
    return struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, 262144, link)


def udp_frames(count: int, size: int = 60) -> list[bytes]:
    """Distinct UDP source ports, each twice; the last four bytes number the frames."""
    frames = []
    for number in range(count):
        l4 = struct.pack("!HHHH", number // 2, 53, 0, 0)
        ip = struct.pack("!BBHHHBBH", 0x45, 0, size - 14, 0, 0, 64, 17, 0) + bytes([10, 0, 0, 1, 10, 0, 0, 2])
        frame = b"\x02" * 12 + b"\x08\x00" + ip + l4
        frames.append(frame.ljust(size - 4, b"\xee") + struct.pack("!I", number))
    return frames


def write_pcap(path: Path, frames: list[bytes], order: str = "<", magic: int = 0xA1B2C3D4) -> Path:
    records = [record(data, 1000 + i, i * 1001 % 1000000, order) for i, data in enumerate(frames)]
    path.write_bytes(header(order, magic) + b"".join(records))
    return path


def read_pcap(path: Path) -> tuple[int, list[tuple[int, int, bytes]]]:
    """The magic, and (seconds, fraction, frame) of each record."""
    content, records = path.read_bytes(), []
    magic, *rest = struct.unpack("IHHIIII", content[:24])
    assert rest == [2, 4, 0, 0, 262144, 1]
    at = 24
    while at < len(content):
        seconds, fraction, length, wire = struct.unpack("IIII", content[at : at + 16])
        assert length == wire
        records.append((seconds, fraction, content[at + 16 : at + 16 + length]))
        at += 16 + length
    return magic, records


def block(order: str, kind: int, body: bytes) -> bytes:
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    total = len(body) + 12
    return struct.pack(order + "II", kind, total) + body + struct.pack(order + "I", total)


def section(order: str, *resolutions: int, offset: int = 0, link: int = 1, snaplen: int = 0) -> bytes:
    """The head of a section, with a comment, and an interface for each resolution."""
    comment = struct.pack(order + "HH", 1, 5) + b"hello" + bytes(3) + bytes(4)
    content = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1) + comment)
    for resolution in resolutions:
        options = struct.pack(order + "HHBxxx", 9, 1, resolution) + struct.pack(order + "HHq", 14, 8, offset) + bytes(4)
        content += block(order, 1, struct.pack(order + "HHI", link, 0, snaplen) + options)
    return content


def enhanced(order: str, data: bytes, time: int, interface: int = 0, wire: int | None = None) -> bytes:
    size = (len(data), len(data) if wire is None else wire)
    padded = data + bytes(-len(data) % 4) + struct.pack(order + "HHI", 2, 4, 0) + bytes(4)
    return block(order, 6, struct.pack(order + "IIIII", interface, time >> 32, time & 0xFFFFFFFF, *size) + padded)


def read_pcapng(path: Path) -> tuple[int, list[tuple[int, bytes]]]:
    """The resolution and (time, frame) of each packet, of a file with one section and one interface."""
    content, at, frames, resolution = path.read_bytes(), 0, [], 0
    while at < len(content):
        kind, total = struct.unpack("II", content[at : at + 8])
        body = content[at + 8 : at + total - 4]
        assert struct.unpack("I", content[at + total - 4 : at + total]) == (total,)
        if kind == 1:
            assert body[:12] == struct.pack("HHIHH", 1, 0, 0, 9, 1)
            resolution = body[12]
        elif kind == 6:
            _, high, low, length, wire = struct.unpack("IIIII", body[:20])
            assert length == wire and not any(body[20 + length :])  # zeros fill the last word
            frames.append((high << 32 | low, body[20 : 20 + length]))
        else:
            assert (kind, body) == (0x0A0D0D0A, struct.pack("IHHq", 0x1A2B3C4D, 1, 0, -1))
        at += total
    return resolution, frames


# Conformance


def conformance_arguments(name: str, folder: Path) -> list[str]:
    if name == "layers":
        return [f"pcap:{way}={folder / 'frames.pcap'}" for way in ("out", "in")]
    if name != "pktio":
        return []
    frames = udp_frames(500, 77)
    pcap = write_pcap(folder / "in.pcap", frames)
    return [f"pcap:in={pcap}", f"pcap:out={folder / 'out.pcap'}", "null:0", "500", str(500 * 77)]


@pytest.mark.parametrize("name", CONFORMANCE)
def test_conformance(native: Toolchain, tmp_path: Path, name: str) -> None:
    native.execute(f"test_{name}", *conformance_arguments(name, tmp_path))


@pytest.mark.parametrize("name", CONFORMANCE)
def test_conformance_over_dpdk(dpdk: Toolchain, tmp_path: Path, name: str) -> None:
    dpdk.execute(f"test_{name}", *conformance_arguments(name, tmp_path))


@pytest.mark.parametrize("name", ["packet", "event", "pktio", *LIMITS])
def test_conformance_of_separate_buffers(separate: Toolchain, tmp_path: Path, name: str) -> None:
    separate.execute(f"test_{name}", *conformance_arguments(name, tmp_path))


@pytest.mark.parametrize("part", ["busy", "kept", "leftovers", "loop", "room", "sink"])
def test_own_promises_of_separate_buffers(separate: Toolchain, part: str) -> None:
    separate.execute("test_linux", part)


@pytest.mark.parametrize("part", ["twice", "stranger"])
def test_wrong_use_of_a_separate_buffer_calls_the_abort_function(separate: Toolchain, part: str) -> None:
    assert separate.execute("test_linux", part, check=False).returncode == 42


def test_conformance_of_ports_of_dpdk(dpdk: Toolchain, tmp_path: Path) -> None:
    arguments = conformance_arguments("pktio", tmp_path)
    ports = [f"dpdk:net_pcap0,rx_pcap={tmp_path}/in.pcap", f"dpdk:net_pcap1,tx_pcap={tmp_path}/out.pcap", "null:0"]
    program = dpdk.program("test_pktio")
    run(program, *ports, *arguments[3:], env={**os.environ, "MACS_DPDK_ARGS": "--no-huge"})


def test_crypto_by_portable_c(native: Toolchain) -> None:
    """The conformance tests use the CPU's instructions where it has them."""
    replace(native, of_ciphers=("-DMACS_ODP_NO_AES",)).execute("test_crypto")


def test_crypto_by_openssl(native: Toolchain) -> None:
    if not shutil.which("pkg-config") or run("pkg-config", "--exists", "libcrypto", check=False).returncode:
        pytest.skip("no libcrypto, or no pkg-config that knows it (Debian: apt install libssl-dev pkg-config)")
    openssl = replace(native, of_ciphers=("-DMACS_ODP_OPENSSL", "-DMACS_ODP_NO_AES"))
    program = openssl.program("test_crypto", "-Wl,--no-as-needed", "-lcrypto")
    run(program)
    assert "EVP_CipherUpdate" in run("nm", "-u", program).stdout


@pytest.mark.parametrize("name", CONFORMANCE)
def test_conformance_arm(arm: Toolchain, tmp_path: Path, name: str) -> None:
    arm.execute(f"test_{name}", *conformance_arguments(name, tmp_path))


@pytest.mark.parametrize("package", INSTALLED)
@pytest.mark.parametrize("name", CONFORMANCE)
def test_conformance_of_an_installed_odp(tmp_path: Path, name: str, package: str) -> None:
    """The same tests pass with another implementation: they are right about the API, and so are we."""
    if not shutil.which("pkg-config") or run("pkg-config", "--exists", package, check=False).returncode:
        pytest.skip(f"pkg-config finds no {package}")
    if (name, package) == ("layers", "libodp-dpdk"):
        pytest.skip("its ports are DPDK's devices, all there from the start: no file is written and then read")
    flags = run("pkg-config", "--cflags", "--libs", package).stdout.split()
    libdir = run("pkg-config", "--variable=libdir", package).stdout.strip()
    binary = tmp_path / name
    source = [*WARNINGS[:3], TESTS / f"test_{name}.c", "-o", binary]
    run("gcc", "-std=c11", "-D_GNU_SOURCE", *source, "-pthread", *flags, f"-Wl,-rpath,{libdir}")
    arguments, devices = conformance_arguments(name, tmp_path), ""
    if name == "crypto":
        devices = "--vdev crypto_openssl,max_nb_queue_pairs=512"
    elif name == "pktio" and package == "libodp-dpdk":  # its ports are DPDK's devices
        devices = f"--vdev net_pcap0,rx_pcap={tmp_path}/in.pcap --vdev net_pcap1,tx_pcap={tmp_path}/out.pcap"
        arguments[:2] = ["0", "1"]
    parameters = f"--no-huge -m 512 --no-pci --no-shconf {devices}"
    run(binary, *arguments, env={**os.environ, "ODP_PLATFORM_PARAMS": parameters})


@pytest.mark.parametrize("name", ["packet", "queue", "sync", "shared", "crypto"])
def test_no_data_races(tmp_path: Path, name: str) -> None:
    tsan = Toolchain("gcc", ("-O1", "-g1", "-fsanitize=thread"))
    probe = run(
        "gcc",
        "-fsanitize=thread",
        "-x",
        "c",
        "-",
        "-o",
        tmp_path / "probe",
        input="int main(void){return 0;}",
        check=False,
    )
    if probe.returncode or run(tmp_path / "probe", check=False).returncode:
        pytest.skip("no thread sanitizer")
    # fences are what it does not know (-Wtsan): the memory barriers are not what is tested here
    binary = tsan.program("test_linux" if name == "shared" else f"test_{name}", "-Wno-tsan")
    run(binary, *(["shared", *shared_arguments(tmp_path)] if name == "shared" else []))


# The headers and the room


def test_headers_stand_alone(tmp_path: Path) -> None:
    include = PLATFORM / "include"
    for path in sorted(include.rglob("*.h")):
        source = tmp_path / "one.c"
        source.write_text(f"#include <{path.relative_to(include)}>\n")
        run("gcc", "-std=c11", *WARNINGS, "-I", include, "-fsyntax-only", source)


def test_clang_has_no_complaint() -> None:
    if not shutil.which("clang"):
        pytest.skip("no clang")
    sources = sorted((PLATFORM / "src").rglob("*.c"))
    run("clang", "-std=gnu11", *WARNINGS, "-I", PLATFORM / "include", "-I", PLATFORM / "src", "-fsyntax-only", *sources)


def test_clang_has_no_complaint_over_dpdk(dpdk: Toolchain) -> None:
    if not shutil.which("clang"):
        pytest.skip("no clang")
    flags = [flag for flag in dpdk.flags if not flag.startswith("-fsanitize")]
    sources = (BACKEND / "platform" / "dpdk" / "src").rglob("*.c")
    run("clang", "-std=gnu11", *flags, *WARNINGS, *dpdk.includes, "-fsyntax-only", *sources)


def test_nothing_prints_or_exits(native: Toolchain) -> None:
    """Only the default log and abort functions, which are the program's to replace."""
    forbidden = {
        "printf",
        "puts",
        "putchar",
        "fprintf",
        "vfprintf",
        "fputs",
        "fwrite",
        "perror",
        "exit",
        "_exit",
        "abort",
    }
    for path in native.objects():
        used = {line.split()[-1] for line in run("nm", "-u", path).stdout.splitlines()}
        found = used & forbidden
        assert found <= ({"vfprintf", "abort"} if path.name == "instance.o" else set()), f"{path.name}: {found}"


# Beyond the specification


def shared_arguments(folder: Path) -> list[str]:
    pcap = write_pcap(folder / "in.pcap", udp_frames(5000))
    return [str(pcap), "5000", str(folder / "out.pcap")]


def test_threads_share_queues(native: Toolchain, tmp_path: Path) -> None:
    native.execute("test_linux", "shared", *shared_arguments(tmp_path))
    found = [data for _, _, data in read_pcap(tmp_path / "out.pcap")[1]]
    assert sorted(found) == sorted(udp_frames(5000))


@pytest.mark.parametrize("part", ["busy", "kept", "largest", "leftovers", "loop", "room", "sink", "sparse"])
def test_own_promises(native: Toolchain, part: str) -> None:
    native.execute("test_linux", part)


@pytest.mark.parametrize("name", LIMITS)
def test_what_is_taken_and_what_is_refused(native: Toolchain, name: str) -> None:
    native.execute(f"test_{name}")


def test_what_ports_tell_and_keep_to(native: Toolchain, tmp_path: Path) -> None:
    program = native.program("test_ports", "-Wl,--wrap=macs_odp_map,--wrap=macs_odp_unmap")
    run(program, write_pcap(tmp_path / "flows.pcap", udp_frames(40)), tmp_path / "out")


@pytest.mark.parametrize("part", ["twice", "stranger"])
def test_freeing_twice_or_use_by_a_stranger_calls_the_abort_function(native: Toolchain, part: str) -> None:
    assert native.execute("test_linux", part, check=False).returncode == 42


@pytest.mark.parametrize("link", [False, True], ids=["udp", "link"])
def test_input_queues_keep_flows_together(native: Toolchain, tmp_path: Path, link: bool) -> None:
    """Frames of no selected protocol are spread by their MAC addresses."""
    frames = udp_frames(1000)
    if link:
        frames = [b"\x02" * 10 + frame[34:36] + b"\x88\xb5" + frame[14:] for frame in frames]
    pcap = write_pcap(tmp_path / "flows.pcap", frames)
    native.execute("test_linux", "queues", pcap, "1000")


def test_ends_of_inputs(native: Toolchain, tmp_path: Path) -> None:
    pcap = write_pcap(tmp_path / "some.pcap", udp_frames(130))
    native.execute("test_linux", "ends", pcap, "130")


def test_a_file_in_memory_is_read_again_at_each_start(native: Toolchain, tmp_path: Path) -> None:
    native.execute("test_linux", "again", write_pcap(tmp_path / "some.pcap", udp_frames(130)), "130")


def test_counts_of_all_kinds_begin_anew(native: Toolchain, tmp_path: Path) -> None:
    frames = [bytes(60 if number % 2 else 2000) for number in range(40)]
    native.execute("test_linux", "reset", write_pcap(tmp_path / "long.pcap", frames), "20", "60")


def test_edges_of_what_is_parsed_and_hashed(native: Toolchain) -> None:
    native.execute("test_parse")


def test_offload(native: Toolchain) -> None:
    native.execute("test_offload")


def test_coalescing_segments(native: Toolchain) -> None:
    native.execute("test_coalesce")


# Files


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "unit"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_pcap_of_either_order_and_precision(
    native: Toolchain, tmp_path: Path, order: str, magic: int, unit: int
) -> None:
    frames = [bytes([i & 255]) * (14 + i * 7 % 1500) for i in range(300)]
    pcap = write_pcap(tmp_path / "in.pcap", frames, order, magic)
    out = tmp_path / "out.pcap"
    done = native.execute("forward", f"pcap:{pcap}", f"pcap:,{out}")
    assert done.stdout.splitlines()[1:] == [
        "0 in 300 discards 0 errors 0 out 0 errors 0",
        "1 in 0 discards 0 errors 0 out 300 errors 0",
    ]
    found, records = read_pcap(out)
    assert found == 0xA1B2C3D4
    assert records == [(1000 + i, i * 1001 * unit // 1000, data) for i, data in enumerate(frames)]


def test_pcap_through_one_port_and_back(native: Toolchain, tmp_path: Path) -> None:
    """Both directions; an output beside an input of nanoseconds has nanoseconds."""
    a = tmp_path / "a.pcap"
    records = [record(data, 1000 + i, 999_000_000 + i * 1001, "<") for i, data in enumerate(udp_frames(70))]
    a.write_bytes(header(magic=0xA1B23C4D) + b"".join(records))
    b = write_pcap(tmp_path / "b.pcap", udp_frames(40, 90))
    native.execute("forward", f"pcap:in={a},out={tmp_path / 'a.out'}", f"pcap:{b},{tmp_path / 'b.out'}")
    magic, records = read_pcap(tmp_path / "a.out")
    assert (magic, records) == (
        0xA1B23C4D,
        [(1000 + i, i * 1001000, data) for i, data in enumerate(udp_frames(40, 90))],
    )
    magic, records = read_pcap(tmp_path / "b.out")
    expected = [(1000 + i, 999_000 + i * 1001 // 1000, data) for i, data in enumerate(udp_frames(70))]
    assert (magic, records) == (0xA1B2C3D4, expected)


@pytest.mark.parametrize(("name", "ng"), [("out.pcapng.pcap", False), ("out.pcapng", True)])
def test_the_end_of_a_name_says_what_is_written(native: Toolchain, tmp_path: Path, name: str, ng: bool) -> None:
    out = tmp_path / name
    native.execute("forward", f"pcap:{write_pcap(tmp_path / 'in.pcap', udp_frames(3))}", f"pcap:,{out}")
    found = read_pcapng(out)[1] if ng else [record[1:] for record in read_pcap(out)[1]]
    assert [data for _, data in found] == udp_frames(3)


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_of_many_kinds(native: Toolchain, tmp_path: Path, order: str) -> None:
    """Sections of both byte orders, resolutions of both kinds, all blocks that hold packets, blocks that do not."""
    data = [bytes([i]) * (60 + i) for i in range(8)]
    second = "<" if order == ">" else ">"
    content = section(order, 6, 9, 0x80 + 10, 3, 0x80 + 35, offset=1000)
    content += block(order, 0x0BAD, b"unknown" * 1000000)  # larger than the reader's buffer
    content += enhanced(order, data[0], 5_000_001, 0) + enhanced(order, data[1], 5_000_002_000, 1)
    content += enhanced(order, data[2], 5 << 10 | 1 << 9, 2) + enhanced(order, data[3], 7003, 3)
    content += block(order, 3, struct.pack(order + "I", len(data[4])) + data[4])
    obsolete = struct.pack(order + "HHIIII", 3, 7, 0, 9_000, len(data[5]), len(data[5]))  # seven were lost before it
    content += block(order, 2, obsolete + data[5])
    content += enhanced(order, data[6], 5 << 35 | 3 << 33, 4)
    content += section(second, 0) + enhanced(second, data[7], 77)
    pcapng, out = tmp_path / "in.pcapng", tmp_path / "out.pcap"
    pcapng.write_bytes(content)
    done = native.execute("forward", f"pcap:{pcapng}", f"pcap:,{out}")
    assert done.stdout.splitlines()[1] == "0 in 8 discards 0 errors 0 out 0 errors 0"
    times = [(1005, 1), (1005, 2), (1005, 500000), (1007, 3000), (0, 0), (1009, 0), (1005, 750000), (77, 0)]
    assert read_pcap(out)[1] == [(*time, frame) for time, frame in zip(times, data, strict=True)]


RESOLUTIONS = [  # of an interface, a time in its units, as nanoseconds
    (0, 7, 7 * 10**9),
    (1, 73, 73 * 10**8),
    (8, 7 * 10**8 + 1, 7 * 10**9 + 10),
    (10, 7 * 10**10 + 29, 7 * 10**9 + 2),
    (12, 7 * 10**12 + 123_999, 7 * 10**9 + 123),
    (18, 7 * 10**18 + 10**17, 71 * 10**8),
    (19, 10**19 + 7 * 10**18, 17 * 10**8),
    (20, 10**19, 10**8),
    (127, 2**64 - 1, 0),
    (0x80, 7, 7 * 10**9),
    (0x81, 15, 75 * 10**8),
    (0x80 + 30, 7 << 30 | 1 << 29, 75 * 10**8),
    (0x80 + 31, 7 << 31 | 7 << 28, 7 * 10**9 + 875_000_000),
    (0x80 + 35, 7 << 35 | 31 << 30, 7 * 10**9 + 968_750_000),
    (0x80 + 60, 7 << 60 | 31 << 55, 7 * 10**9 + 968_750_000),
    (0x80 + 63, 3 << 62, 15 * 10**8),
    (0x80 + 64, 3 << 62, 75 * 10**7),
    (0x80 + 66, 1 << 63, 125 * 10**6),
    (0xFF, 2**64 - 1, 0),
]


@pytest.mark.parametrize("order", ["<", ">"])
def test_times_of_any_resolution(native: Toolchain, tmp_path: Path, order: str) -> None:
    """Of powers of ten and of two; what is finer than a nanosecond is cut off."""
    pcapng, out = tmp_path / "in.pcapng", tmp_path / "out.pcap"
    frames = udp_frames(len(RESOLUTIONS))
    content = section(order, 9, *(resolution for resolution, _, _ in RESOLUTIONS))
    for number, (_, units, _) in enumerate(RESOLUTIONS):
        content += enhanced(order, frames[number], units, number + 1)
    pcapng.write_bytes(content)
    native.execute("forward", f"pcap:{pcapng},{out}", f"pcap:{pcapng}")
    found = [(seconds * 10**9 + part, frame) for seconds, part, frame in read_pcap(out)[1]]
    assert found == [(time, frame) for (_, _, time), frame in zip(RESOLUTIONS, frames, strict=True)]


def test_what_a_file_says_beside_its_link(native: Toolchain, tmp_path: Path) -> None:
    """As of how many bytes a frame's check sequence is."""
    pcap = tmp_path / "in.pcap"
    pcap.write_bytes(header(link=1 | 1 << 26 | 4 << 28) + GOOD)
    for driver in ("pcap", "mem"):
        done = native.execute("forward", f"{driver}:{pcap}", "null:")
        assert (done.stdout.splitlines()[1], done.stderr) == ("0 in 1 discards 0 errors 0 out 0 errors 0", "")


def test_a_section_without_interfaces_has_no_frames(native: Toolchain, tmp_path: Path) -> None:
    pcapng = tmp_path / "in.pcapng"
    pcapng.write_bytes(section("<") + block("<", 0x0BAD, bytes(8)) + section(">"))
    done = native.execute("forward", f"pcap:{pcapng}", "null:")
    assert (done.stdout.splitlines()[1], done.stderr) == ("0 in 0 discards 0 errors 0 out 0 errors 0", "")


@pytest.mark.parametrize("order", ["<", ">"])
def test_simple_blocks_have_what_the_snaplen_leaves(native: Toolchain, tmp_path: Path, order: str) -> None:
    """Which a frame may be longer than by a byte, or exactly as long as."""
    content, frames = b"", [bytes([i]) * size for i, size in enumerate((99, 100, 101, 1000))]
    content += section(order, 6, snaplen=100)
    for frame in frames:
        content += block(order, 3, struct.pack(order + "I", len(frame)) + frame[:100])
    pcapng, out = tmp_path / "in.pcapng", tmp_path / "out.pcap"
    pcapng.write_bytes(content)
    native.execute("forward", f"pcap:{pcapng}", f"pcap:,{out}")
    assert [frame for _, _, frame in read_pcap(out)[1]] == [frame[:100] for frame in frames]


@pytest.mark.parametrize("order", ["<", ">"])
def test_options_of_pcapng_that_are_not_about_time(native: Toolchain, tmp_path: Path, order: str) -> None:
    """They are passed over, and so are those of another length, and what stands behind the end."""

    def option(code: int, value: bytes) -> bytes:
        return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)

    def offset(seconds: int) -> bytes:
        return option(14, struct.pack(order + "q", seconds))

    end, milliseconds, time = option(0, b""), option(9, b"\x03"), 5_000_000
    ways = [
        (b"", (5, 0)),  # microseconds
        (
            option(2, b"eth0") + option(3, b"12345") + milliseconds + option(4, b"x" * 8) + offset(-1000) + end,
            (4000, 0),
        ),
        (milliseconds + offset(-1000), (4000, 0)),  # an end may be missing
        (milliseconds + end + offset(-1000), (5000, 0)),
        (end + milliseconds + offset(-1000), (5, 0)),
        (option(9, b"\x03\x03") + option(14, bytes([0, 0, 0, 9])) + option(9, b"") + end, (5, 0)),
        (milliseconds + struct.pack(order + "HH", 14, 60000) + offset(-1000), (5000, 0)),  # more than the block has
        (milliseconds + struct.pack(order + "HH", 14, 8) + b"\1\1\1\1", (5000, 0)),
        (option(9, b"\x09") + offset(1 << 31) + end, (1 << 31, 5000)),
        (option(1, b"x" * 60000) + milliseconds + end, (5000, 0)),
        (option(1, b"x" * 60000) * 10 + end, (5, 0)),  # more than the reader's buffer
        (milliseconds + option(14, bytes(8) + b"\1") + end, (5000, 0)),
    ]
    content = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    for options, _ in ways:
        content += block(order, 1, struct.pack(order + "HHI", 1, 0, 0) + options)
    frames = udp_frames(len(ways))
    content += b"".join(enhanced(order, frame, time, number) for number, frame in enumerate(frames))
    pcapng, out = tmp_path / "in.pcapng", tmp_path / "out.pcap"
    pcapng.write_bytes(content)
    assert native.execute("forward", f"pcap:{pcapng}", f"pcap:,{out}").stderr == ""
    assert read_pcap(out)[1] == [(*ways[number][1], frame) for number, frame in enumerate(frames)]


@pytest.mark.parametrize(("count", "frames"), [(1 << 16, 2), ((1 << 16) + 1, 0)])
def test_many_interfaces_of_pcapng(native: Toolchain, tmp_path: Path, count: int, frames: int) -> None:
    """The last one's frames are told apart from what has no interface."""
    pcapng = tmp_path / "in.pcapng"
    interfaces = block("<", 1, struct.pack("<HHI", 1, 0, 0)) * count
    sent = [enhanced("<", bytes(60), 1, number) for number in (0, count - 1, count)]
    pcapng.write_bytes(section("<") + interfaces + b"".join(sent))
    done = native.execute("forward", f"pcap:{pcapng}", "null:")
    assert done.stdout.splitlines()[1] == f"0 in {frames} discards 0 errors 1 out 0 errors 0"
    what = "a corrupt block" if frames else "too many interfaces"
    assert re.fullmatch(f"{pcapng}: {what} at byte \\d+; the rest is not read\n", done.stderr)


@pytest.mark.parametrize(
    ("resolution", "magic"), [(3, 0xA1B2C3D4), (6, 0xA1B2C3D4), (7, 0xA1B23C4D), (0x94, 0xA1B2C3D4), (0x95, 0xA1B23C4D)]
)
def test_an_output_is_as_precise_as_the_input_beside_it(
    native: Toolchain, tmp_path: Path, resolution: int, magic: int
) -> None:
    pcapng, out = tmp_path / "in.pcapng", tmp_path / "out.pcap"
    pcapng.write_bytes(section("<", resolution, 9 if resolution < 7 else 3) + enhanced("<", bytes(60), 1))
    native.execute("forward", f"pcap:{pcapng},{out}", f"pcap:{pcapng}")
    assert read_pcap(out)[0] == magic and len(read_pcap(out)[1]) == 1


@pytest.mark.parametrize(("resolution", "magic"), [(6, 0xA1B2C3D4), (9, 0xA1B23C4D)])
def test_pcapng_out(native: Toolchain, tmp_path: Path, resolution: int, magic: int) -> None:
    frames = [bytes([i & 255]) * (14 + i * 7 % 1500) for i in range(300)]
    source, out, back = write_pcap(tmp_path / "in.pcap", frames, "<", magic), tmp_path / "o.pcapng", tmp_path / "b.pcap"
    native.execute("forward", f"pcap:{source},{out}", f"pcap:{source},{out}2")
    unit = 10**resolution
    expected = [((1000 + i) * unit + i * 1001 % 1000000, data) for i, data in enumerate(frames)]
    assert read_pcapng(out) == (resolution, expected)
    native.execute("forward", f"mem:{out}", f"pcap:,{back}")
    assert [data for _, _, data in read_pcap(back)[1]] == frames


def test_a_file_is_read_again(native: Toolchain, tmp_path: Path) -> None:
    out = tmp_path / "out.pcap"
    for order in "<>":
        pcap = write_pcap(tmp_path / "in.pcap", udp_frames(10), order)
        native.execute("forward", f"pcap:in={pcap},loops=3", f"pcap:,{out}")
        assert [data for _, _, data in read_pcap(out)[1]] == udp_frames(10) * 3
    pcapng = tmp_path / "in.pcapng"
    blocks = [enhanced(">", data, 77, at % 2) for at, data in enumerate(udp_frames(10))]
    pcapng.write_bytes(section(">", 6, 9) + b"".join(blocks) + section("<", 3))  # the next round is of the first order
    native.execute("forward", f"pcap:in={pcapng},loops=3", f"pcap:,{out}")
    assert [data for _, _, data in read_pcap(out)[1]] == udp_frames(10) * 3
    done = native.execute("forward", f"pcap:{pcap},loops=0", "null:", "1", "2048", "1000")  # ends after so many
    assert int(done.stdout.split()[3]) >= 1000


def test_a_file_of_which_no_frame_can_be_used_is_read_once(native: Toolchain, tmp_path: Path) -> None:
    """And keeps nobody."""
    pcap = write_pcap(tmp_path / "in.pcap", [b"", bytes(5000)])
    command = [str(native.program("forward")), f"pcap:{pcap},loops=0", "null:"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        process.terminate()
        told, _ = process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()
    assert told.splitlines()[0] == "0 in 0 discards 0 errors 2 out 0 errors 0"


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_damaged_files(native: Toolchain, tmp_path: Path, kind: str) -> None:
    frames = udp_frames(6)
    content = section("<", 6, 9) + b"".join(enhanced("<", data, i, i % 2) for i, data in enumerate(frames))
    if kind == "pcapng":
        (tmp_path / "whole").write_bytes(content + section(">", 0x80 + 20) + enhanced(">", frames[0], 1))
    else:
        write_pcap(tmp_path / "whole", frames)
    native.execute("test_capture", tmp_path / "whole", "500", tmp_path / "scratch")


@pytest.mark.parametrize("ng", [False, True], ids=["pcap", "pcapng"])
def test_a_record_of_more_than_there_was_is_an_error(native: Toolchain, tmp_path: Path, ng: bool) -> None:
    """mem: refuses the file for it."""
    frame, path = bytes(60), tmp_path / "in.pcap"
    records = [
        enhanced("<", frame, 1, 0, wire) if ng else record(frame, 1, 0, "<", wire) for wire in (60, 61, 59, 0, 60)
    ]
    path.write_bytes((section("<", 6) if ng else header()) + b"".join(records))
    done = native.execute("forward", f"pcap:{path}", f"pcap:,{tmp_path / 'out.pcap'}")
    assert done.stdout.splitlines()[1] == "0 in 3 discards 0 errors 2 out 0 errors 0"
    assert done.stderr == f"{path}: frames were cut when captured (60 of 61 bytes); they are used as they are\n"
    assert [data for _, _, data in read_pcap(tmp_path / "out.pcap")[1]] == [frame] * 3
    done = native.execute("forward", f"mem:{path}", "null:", check=False)
    assert (done.returncode, done.stderr) == (2, f"{path}: frame 3 was captured with more bytes than it had\n")


def test_an_output_is_whole_when_nothing_more_comes(native: Toolchain, tmp_path: Path) -> None:
    """Of a port that may still receive: who watches its file sees what was sent."""
    pipe, out = tmp_path / "pipe", tmp_path / "out.pcap"
    os.mkfifo(pipe)
    command = [native.program("forward"), f"pcap:{pipe},{out}", "loop"]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    try:
        with pipe.open("wb") as writer:
            writer.write(header() + record(bytes(60), 1, 0, "<"))
            writer.flush()
            deadline = time.monotonic() + TIMEOUT
            while not out.exists() or out.stat().st_size < 24 + 16 + 60:
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.02)
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT)
    assert [data for _, _, data in read_pcap(out)[1]] == [bytes(60)]


@pytest.mark.parametrize("step", [7, 100])
@pytest.mark.parametrize("ng", [False, True], ids=["pcap", "pcapng"])
def test_a_pipe_is_read_as_it_fills(native: Toolchain, tmp_path: Path, ng: bool, step: int) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "out.pcap"
    os.mkfifo(pipe)
    frames = udp_frames(20)
    blocks = [enhanced("<", frame, number) + block("<", 0x0BAD, bytes(52)) for number, frame in enumerate(frames)]
    content = section("<", 6) + b"".join(blocks) if ng else write_pcap(tmp_path / "x.pcap", frames).read_bytes()
    program = [str(native.program("forward")), f"pcap:{pipe}", f"pcap:,{out}"]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pipe.open("wb", buffering=0) as writer:
        for at in range(0, len(content), step):
            writer.write(content[at : at + step])
            if at > 100:
                os.sched_yield()  # it reads what is there
    told, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, errors) == (0, "")
    assert told.splitlines()[1] == "0 in 20 discards 0 errors 0 out 0 errors 0"
    assert [data for _, _, data in read_pcap(out)[1]] == frames


def test_the_same_on_arm(native: Toolchain, arm: Toolchain, tmp_path: Path) -> None:
    pcap = write_pcap(tmp_path / "in.pcap", udp_frames(100))
    native.execute("forward", f"pcap:{pcap}", f"pcap:,{tmp_path / 'x86.pcap'}")
    arm.execute("forward", f"pcap:{pcap}", f"pcap:,{tmp_path / 'arm.pcap'}")
    assert (tmp_path / "x86.pcap").read_bytes() == (tmp_path / "arm.pcap").read_bytes()


GOOD = record(b"\x01" * 60, 1, 2, "<")
SECTION, FRAME = section("<", 6), enhanced("<", b"\x01" * 60, 1)
REFUSED_FILES = {
    "empty": (b"", "not a pcap file: too short"),
    "text": (b"this is some text, longer than a header\n", "not a pcap file"),
    "header-cut": (header()[:20], "its header is cut off"),
    "pcapng-zeros": (struct.pack("<I", 0x0A0D0D0A) + b"\0" * 40, "a corrupt block at byte 0"),
    "pcapng-cut": (section("<", 6)[:40], "the file is cut off at byte"),
    "pcapng-version": (section("<")[:12] + b"\2" + section("<")[13:], "a section of an unknown version"),
    "pcapng-version-0": (section("<")[:12] + b"\0" + section("<")[13:], "a section of an unknown version"),
    "pcapng-other-link": (section("<", 6, link=113), "a link that is not Ethernet"),
    "pcapng-no-interface": (section("<") + enhanced("<", b"x" * 60, 1), "a corrupt block at byte 44"),
    "pcapng-short-section": (block("<", 0x0A0D0D0A, section("<")[8:20]) + bytes(8), "a corrupt block at byte 0"),
    "pcapng-short-interface": (section("<") + block("<", 1, bytes([1, 0, 0, 0])), "a corrupt block at byte 44"),
    "other-link": (header(link=101) + GOOD, "a link that is not Ethernet"),
}
BROKEN_FILES = {
    "record-header-cut": (header() + GOOD + GOOD[:9], "the file is cut off at byte 100"),
    "record-cut": (header() + GOOD + GOOD[:50], "the file is cut off at byte 100"),
    "huge-record": (header() + GOOD + struct.pack("<IIII", 1, 2, 1 << 30, 1 << 30), "a corrupt record at byte 100"),
    "pcapng-cut": (SECTION + FRAME + FRAME[:50], f"the file is cut off at byte {len(SECTION + FRAME)}"),
    "pcapng-trailer": (SECTION + FRAME[:-4] + b"abcd" + FRAME, f"a corrupt block at byte {len(SECTION + FRAME) - 4}"),
    "pcapng-trailer-less": (SECTION + FRAME[:-4] + bytes(4), f"a corrupt block at byte {len(SECTION + FRAME) - 4}"),
    "pcapng-other-link": (
        SECTION + FRAME + section("<", 6, link=113) + FRAME,
        f"a frame of a link that is not Ethernet at byte {2 * len(SECTION) + len(FRAME)}",
    ),
    "pcapng-length": (
        SECTION + FRAME + struct.pack("<IIHI", 0x0BAD, 14, 0, 14) + FRAME,
        f"a corrupt block at byte {len(SECTION + FRAME)}",
    ),
    "pcapng-interface": (SECTION + FRAME + enhanced("<", b"x" * 60, 1, 1), "a corrupt block at byte"),
    "pcapng-head-cut": (SECTION + FRAME + FRAME[:7], f"the file is cut off at byte {len(SECTION + FRAME)}"),
    "pcapng-no-block": (SECTION + FRAME + struct.pack("<II", 0x0BAD, 8), "a corrupt block at byte"),
    "pcapng-trailer-cut": (SECTION + FRAME + block("<", 0x0BAD, bytes(4))[:-1], "the file is cut off at byte"),
    "pcapng-short-packet": (SECTION + FRAME + block("<", 6, bytes(16)), "a corrupt block at byte"),
    "pcapng-frame-beyond": (
        SECTION + FRAME + block("<", 6, struct.pack("<IIIII", 0, 0, 1, 65, 65) + bytes(64)),
        f"a corrupt block at byte {len(SECTION + FRAME)}",
    ),
}


@pytest.mark.parametrize("name", REFUSED_FILES)
@pytest.mark.parametrize("driver", ["pcap", "mem"])
def test_files_that_are_refused(native: Toolchain, tmp_path: Path, driver: str, name: str) -> None:
    content, message = REFUSED_FILES[name]
    path = tmp_path / "bad.pcap"
    path.write_bytes(content)
    done = native.execute("forward", f"{driver}:{path}", "null:", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert str(path) in done.stderr


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_files_that_break_off(native: Toolchain, tmp_path: Path, name: str) -> None:
    """What is whole is used, the rest is an error that is counted and told; mem: refuses such a file altogether."""
    content, message = BROKEN_FILES[name]
    path = tmp_path / "bad.pcap"
    path.write_bytes(content)
    done = native.execute("forward", f"pcap:{path}", "null:")
    assert done.stdout.splitlines()[1] == "0 in 1 discards 0 errors 1 out 0 errors 0"
    assert message in done.stderr
    done = native.execute("forward", f"mem:{path}", "null:", check=False)
    assert done.returncode == 2
    assert message in done.stderr


def test_frames_that_do_not_fit(native: Toolchain, tmp_path: Path) -> None:
    frames = [b"a" * 60, b"b" * 5000, b"", b"c" * 2048, b"d" * 2049]
    pcap, out = write_pcap(tmp_path / "in.pcap", frames), tmp_path / "out.pcap"
    done = native.execute("forward", f"pcap:{pcap}", f"pcap:,{out}")
    assert done.stdout.splitlines()[1] == "0 in 2 discards 0 errors 3 out 0 errors 0"
    assert [data for _, _, data in read_pcap(out)[1]] == [b"a" * 60, b"c" * 2048]


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ([bytes(60), bytes(2049)], "frame 2 has 2049 bytes, a packet of the pool has room for 2048"),
        ([bytes(60), bytes(2048), b""], "frame 3 has 0 bytes, a packet of the pool has room for 2048"),
        ([], "no frames"),
    ],
)
def test_files_that_memory_does_not_take(native: Toolchain, tmp_path: Path, frames: list[bytes], message: str) -> None:
    pcap = write_pcap(tmp_path / "in.pcap", frames)
    done = native.execute("forward", f"mem:{pcap}", "null:", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{pcap}: {message}\n")


def test_a_file_of_one_flow_leaves_other_queues_empty(native: Toolchain, tmp_path: Path) -> None:
    """Which give nothing each time they are asked, while the flow's goes round."""
    pcap = write_pcap(tmp_path / "in.pcap", udp_frames(2))
    done = native.execute("forward", f"mem:{pcap},loop", "null:", "4", "2048", "1000")
    assert int(done.stdout.splitlines()[1].split()[2]) >= 1000


def test_a_pipe_is_not_read_again(native: Toolchain, tmp_path: Path) -> None:
    """What it gave counts, and that there is no second time is an error."""
    pipe, content = tmp_path / "pipe", write_pcap(tmp_path / "in.pcap", udp_frames(3)).read_bytes()
    os.mkfifo(pipe)
    command = [str(native.program("forward")), f"pcap:{pipe},loops=2", "null:"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pipe.write_bytes(content)
    told, errors = process.communicate(timeout=TIMEOUT)
    assert told.splitlines()[1:] == [
        "0 in 3 discards 0 errors 1 out 0 errors 0",
        "1 in 0 discards 0 errors 0 out 3 errors 0",
    ]
    assert errors == f"{pipe}: cannot be read again: Illegal seek\n"


@pytest.mark.parametrize("ng", [False, True], ids=["pcap", "pcapng"])
def test_the_longest_record_is_passed_over(native: Toolchain, tmp_path: Path, ng: bool) -> None:
    """One that is longer is no record."""
    pcap, head = tmp_path / "in.pcap", section("<", 6) if ng else header()
    for more, received in ((0, 2), (1, 1)):
        short, long = (
            enhanced("<", bytes(size), 1) if ng else record(bytes(size), 1, 2, "<") for size in (60, (1 << 18) + more)
        )
        pcap.write_bytes(head + short + long + short)
        done = native.execute("forward", f"pcap:{pcap}", "null:")
        assert done.stdout.splitlines()[1] == f"0 in {received} discards 0 errors 1 out 0 errors 0"
        what = f"a corrupt {'block' if ng else 'record'} at byte {len(head + short)}; the rest is not read"
        assert done.stderr == (f"{pcap}: {what}\n" if more else "")


def test_frames_cut_by_the_capture_are_used_and_told(native: Toolchain, tmp_path: Path) -> None:
    pcap, out = tmp_path / "in.pcap", tmp_path / "out.pcap"
    pcap.write_bytes(header() + record(b"x" * 96, 1, 2, "<", wire=1514) * 3)
    done = native.execute("forward", f"pcap:{pcap}", f"pcap:,{out}")
    assert done.stderr.count("frames were cut when captured (96 of 1514 bytes)") == 1
    assert [len(data) for _, _, data in read_pcap(out)[1]] == [96] * 3


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("pcap:", "expected pcap:in=FILE,out=FILE"),
        ("pcap:a,b,c", "expected pcap:in=FILE,out=FILE"),
        ("pcap:a,loops=x", "expected pcap:in=FILE,out=FILE"),
        ("pcap:a,loops=2x", "expected pcap:in=FILE,out=FILE"),
        ("pcap:a,loops=", "expected pcap:in=FILE,out=FILE"),
        ("pcap:,a,loops=2", "expected pcap:in=FILE,out=FILE"),
        ("pcap:in=a,in=b", "expected pcap:in=FILE,out=FILE"),
        ("pcap:/nowhere/x.pcap", "/nowhere/x.pcap: cannot open: No such file"),
        ("pcap:,/nowhere/x.pcap", "/nowhere/x.pcap: cannot create: No such file"),
        ("mem:/nowhere/x.pcap", "/nowhere/x.pcap: cannot open: No such file"),
        ("af_packet:nosuchif0", 'no interface "nosuchif0"'),
        ("nosuchif0", 'no interface "nosuchif0"'),
        ("af_xdp:nosuchif0", 'no interface "nosuchif0"'),
        ("a-name-much-longer-than-interfaces-have", "no interface"),
        ("netmap:eth0", "port netmap:eth0: built without netmap"),
        ("tap:", "expected tap:NAME"),
        ("tap:a-name-much-longer-than-interfaces-have", "expected tap:NAME"),
        ("nosuchdriver:x", "port nosuchdriver:x: no such driver"),
        ("", "no such driver"),
    ],
)
def test_names_that_are_refused(native: Toolchain, port: str, message: str) -> None:
    done = native.execute("forward", port, "null:", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_ports_of_netmap(native: Toolchain, tmp_path: Path) -> None:
    """On a netmap that the test plays: the module is in no distribution."""
    faked = ["open", "close", "ioctl", "mmap", "munmap", "socket"]
    faked += [f"macs_odp_netdev_{what}" for what in ("index", "mtu", "dropped", "link")]
    flags = ["-std=gnu11", *native.flags, *WARNINGS, *native.includes, f"-I{TESTS / 'netmap'}", "-DMACS_ODP_NETMAP"]
    sources = [TESTS / "test_netmap.c", PLATFORM / "src" / "pktio" / "pktio_netmap.c"]
    objects = [file for file in native.objects() if file.name != "pktio_netmap.o"]
    wraps = [f"-Wl,--wrap={name}" for name in faked]
    run(native.compiler, *flags, *sources, *objects, *wraps, "-o", tmp_path / "netmap", *native.libraries)
    run(tmp_path / "netmap")


def test_a_full_disk_is_told(native: Toolchain, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    pcap = write_pcap(tmp_path / "in.pcap", udp_frames(10))
    done = native.execute("forward", f"pcap:{pcap}", "pcap:,/dev/full", check=False)
    assert done.returncode == 2
    assert "/dev/full: cannot write: No space left on device" in done.stderr


# Over DPDK


def test_frames_through_ports_of_dpdk(dpdk: Toolchain, tmp_path: Path) -> None:
    """Ordinary memory; the second port has other frames than the first, and their counters are the device's."""
    frames = [bytes([i & 255]) * (60 + i * 7 % 1450) for i in range(300)]
    pcap, out = write_pcap(tmp_path / "in.pcap", frames), tmp_path / "out.pcap"
    ports = [f"dpdk:net_pcap0,rx_pcap={pcap}", f"dpdk:net_pcap1,tx_pcap={out}"]
    program = [str(dpdk.program("forward")), *ports]
    environment = {**os.environ, "MACS_DPDK_ARGS": "--no-huge", "MACS_DPDK_LOG": str(tmp_path / "log")}
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    while out.stat().st_size < pcap.stat().st_size and process.poll() is None:
        time.sleep(0.01)
    process.terminate()
    shown = process.communicate(timeout=TIMEOUT)[0]
    assert (process.returncode, shown.splitlines()) == (
        0,
        ["0 in 300 discards 0 errors 0 out 0 errors 0", "1 in 0 discards 0 errors 0 out 300 errors 0"],
    )
    assert [data for _, _, data in read_pcap(out)[1]] == frames
    assert "EAL" in (tmp_path / "log").read_text()


def test_every_frame_of_dpdks_devices_is_counted(dpdk: Toolchain, tmp_path: Path) -> None:
    """Without interfaces: from a file to a file, from nowhere to nowhere."""
    pcap, many = write_pcap(tmp_path / "thousand.pcap", udp_frames(1000)), tmp_path / "many.pcap"
    dpdk.execute("forward", f"pcap:{pcap},loops={FRAMES // 1000}", f"pcap:,{many}")
    ways = {
        f"dpdk:net_pcap0,rx_pcap={many}": f"dpdk:net_pcap1,tx_pcap={tmp_path / 'out.pcap'}",
        "dpdk:net_null0": "dpdk:net_null1,no-rx=1",
    }
    for source, sink in ways.items():
        shown = dpdk.execute("forward", source, sink, "1", "2048", str(FRAMES)).stdout.split()
        received, sent = int(shown[3]), int(shown[-3])
        assert FRAMES <= received == sent < FRAMES + 64, shown
    assert (tmp_path / "out.pcap").stat().st_size == many.stat().st_size


@pytest.mark.parametrize("driver", ["net_af_packet", "net_af_xdp"])
def test_every_frame_is_counted_over_dpdk(
    dpdk: Toolchain, tmp_path: Path, driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # DPDK's driver leaves libxdp's description of its memory, 80 bytes a port
    (tmp_path / "leaks").write_text("leak:xsk_umem__create\n")
    monkeypatch.setenv("LSAN_OPTIONS", f"suppressions={tmp_path / 'leaks'}:print_suppressions=0")
    pcap = write_pcap(tmp_path / "thousand.pcap", udp_frames(1000))
    in_own_network("count", driver, pcap, dpdk.program("forward"))


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("dpdk:", "expected dpdk:NUMBER or dpdk:DEVICE,ARGUMENTS"),
        ("dpdk:0", "cannot find that port: No such device"),
        ("dpdk:net_nonsense0", 'DPDK: EAL: failed to parse device "net_nonsense0"'),
        ("dpdk:net_pcap0,rx_pcap=/nowhere/x.pcap", "Couldn't open /nowhere/x.pcap"),
        ("nosuchdriver:x", "port nosuchdriver:x: no such driver"),
    ],
)
def test_ports_of_dpdk_that_are_refused(dpdk: Toolchain, port: str, message: str) -> None:
    done = dpdk.execute("forward", port, "null:", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


# Real interfaces


def in_own_network(*command: str | Path) -> None:
    unshare = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    if not shutil.which("unshare") or not shutil.which("ip") or run(*unshare, "true", check=False).returncode:
        pytest.skip("the kernel refuses network namespaces, or unshare or ip is not installed")
    done = run(*unshare, sys.executable, TESTS / "interfaces.py", *command, check=False)
    if done.returncode == REFUSED:
        pytest.skip("the kernel refuses: " + done.stderr.strip())
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize(
    "scenario",
    ["tcp", "whole", "super", "queues", "vlan", "full", "again", "narrow", "crowded", "gone", "jumbo", "tap"],
)
def test_interfaces(native: Toolchain, scenario: str) -> None:
    in_own_network(scenario, "af_packet", native.program("forward"))


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_a_port_whose_interface_changes(native: Toolchain, driver: str) -> None:
    done = native.execute("test_watched", driver, check=False)
    if done.returncode == REFUSED:
        pytest.skip("the kernel refuses network namespaces or AF_XDP, or has no /dev/net/tun")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp", "tap"])
def test_frames_that_the_kernel_refuses_are_errors(native: Toolchain, driver: str) -> None:
    in_own_network("short", driver, native.program("forward"))


@pytest.mark.parametrize("scenario", ["tcp", "queues", "vlan", "full", "again", "gone", "jumbo", "killed", "unsent"])
def test_interfaces_by_af_xdp(native: Toolchain, scenario: str) -> None:
    in_own_network(scenario, "af_xdp", native.program("forward"))


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_tags_that_stand_beside_frames(native: Toolchain, driver: str) -> None:
    in_own_network("beside", driver, native.program("tag"), native.program("forward"))


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_two_tags(native: Toolchain, driver: str) -> None:
    in_own_network("qinq", driver, native.program("tag"), native.program("forward"))


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
@pytest.mark.parametrize("kind", interfaces.TUNNELS)
def test_tunnels(native: Toolchain, kind: str, driver: str) -> None:
    in_own_network("tunnel", driver, kind, native.program("forward"))


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp", "tap"])
def test_every_frame_is_counted(native: Toolchain, tmp_path: Path, driver: str) -> None:
    pcap = write_pcap(tmp_path / "thousand.pcap", udp_frames(1000))
    in_own_network("count", driver, pcap, native.program("forward"))


def test_every_frame_of_a_file_is_counted(native: Toolchain, tmp_path: Path) -> None:
    """From a file to a file, from there through memory."""
    pcap, out = write_pcap(tmp_path / "thousand.pcap", udp_frames(1000)), tmp_path / "out.pcapng"
    for source, sink in ((f"pcap:{pcap},loops={FRAMES // 1000}", f"pcap:,{out}"), (f"mem:{out}", "null:")):
        done = native.execute("forward", source, sink)
        assert done.stdout.splitlines()[1:] == [
            f"0 in {FRAMES} discards 0 errors 0 out 0 errors 0",
            f"1 in 0 discards 0 errors 0 out {FRAMES} errors 0",
        ]
    assert out.stat().st_size == 60 + FRAMES * 92  # a frame of 60 bytes in a block


@pytest.mark.parametrize(
    ("scenario", "driver"), [("vlan", "af_packet"), ("tcp", "af_xdp"), ("jumbo", "af_xdp"), ("unsent", "af_xdp")]
)
def test_interfaces_over_dpdk(dpdk: Toolchain, scenario: str, driver: str) -> None:
    in_own_network(scenario, driver, dpdk.program("forward"))


@pytest.mark.parametrize(
    ("scenario", "driver"), [("vlan", "af_packet"), ("tcp", "af_xdp"), ("jumbo", "af_xdp"), ("unsent", "af_xdp")]
)
def test_interfaces_by_separate_buffers(separate: Toolchain, scenario: str, driver: str) -> None:
    in_own_network(scenario, driver, separate.program("forward"))


def test_no_af_xdp_in_emulators(arm: Toolchain) -> None:
    done = arm.execute("forward", "af_xdp:lo", "null:", check=False)
    if "packet sockets are refused" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 2
    assert "port af_xdp:lo: " in done.stderr and "af_packet:IFACE does without" in done.stderr


def test_interfaces_without_ring(arm: Toolchain) -> None:
    """The emulator knows no packet rings: everything goes over plain sockets."""
    in_own_network("udp", "af_packet", *arm.runner, arm.program("forward"))
    in_own_network("unseen", "af_packet", *arm.runner, arm.program("forward"))


def test_super_frames_by_generic_xdp(native: Toolchain) -> None:
    in_own_network("unseen", "af_xdp", native.program("forward"))
