"""The runtime elsewhere: other compilers, other machines, an ODP that is installed; and its data races."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, ipv4, read_pcap, write_pcap

from macsad.control import Client

ROOT = Path(__file__).parents[2]
BACKEND = ROOT / "aux-backend"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
PORTABLE = [*sorted((BACKEND / "runtime").glob("*.c")), *sorted((BACKEND / "control").glob("*.c"))]


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=100, check=False)


def without_randomised_addresses(binary: Path, folder: Path) -> Path:
    """The thread sanitizer's shadow memory and address randomisation collide on some kernels."""
    script = folder / "run"
    script.write_text(f'#!/bin/sh\nexec setarch -R "{binary}" "$@"\n')
    script.chmod(0o755)
    return script


def syntax(compiler: str, *flags: str) -> None:
    includes = ["-I", BACKEND / "include", "-I", BACKEND]
    done = run(compiler, "-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", *WARNINGS, *includes, *flags, *PORTABLE)
    assert done.returncode == 0, done.stderr


def test_clang_has_nothing_to_say() -> None:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    syntax("clang", f"-I{BACKEND / 'platform/linux/include'}")


def test_it_compiles_against_an_installed_odp() -> None:
    if shutil.which("pkg-config") is None or run("pkg-config", "--exists", "libodp-linux").returncode:
        pytest.skip("no installed libodp-linux (pkg-config)")
    syntax("gcc", *run("pkg-config", "--cflags", "libodp-linux").stdout.split())


def test_pcap_to_pcap_on_aarch64(build_sample, tmp_path: Path) -> None:
    if shutil.which("aarch64-linux-gnu-gcc") is None or shutil.which("qemu-aarch64-static") is None:
        pytest.skip("needs gcc-aarch64-linux-gnu and qemu-user-static")
    binary = build_sample(arch="aarch64")
    frames = [ipv4(f"10.0.{i}.1") for i in range(200)]
    write_pcap(tmp_path / "in.pcap", frames)
    (tmp_path / "entries").write_text("table_add routes forward 10.0.0.0/16 => 1\n")
    ports = [f"--port=0=pcap:{tmp_path}/in.pcap", f"--port=1=pcap:,{tmp_path}/out.pcap"]
    done = run("qemu-aarch64-static", binary, *ports, "--entries", tmp_path / "entries")
    assert done.returncode == 0, done.stderr
    assert read_pcap(tmp_path / "out.pcap") == frames


COPIES = (  # what packets that are copied and come again go through
    "runtime/traffic_manager",
    "runtime/recirculation",
    "runtime/clone",
    "runtime/mirror",
    "runtime/multicast",
    "runtime/handles",
    "tables/common/sequence",
    "tables/common/qsbr",
)

PARTS: dict[str, tuple[str, ...]] = {
    "counts": (),
    "cells": (),
    "pieces": (),
    "ring": ("runtime/ring",),
    "handles": ("runtime/handles",),
    "notes": ("control/notes",),
    "tidy": ("runtime/tidy",),
    "entries": (
        "tables/common/epoch",
        "control/entries",
        "runtime/learning",
        "runtime/ring",
        "runtime/bell",
        "tables/common/indices",
        "tables/common/hash",
        "tables/common/packing",
        "tables/common/qsbr",
        "tables/common/memory",
    ),
    "transmit": ("runtime/transmit", "runtime/queues", "runtime/queue_service", "runtime/capture", "runtime/bell"),
    "locks": ("runtime/hold", "tables/common/memory"),
    "limits": ("runtime/meter", "runtime/ages", "tables/common/memory"),
    "digests": ("runtime/digest", "runtime/ring", "runtime/bell"),
    "sums": ("runtime/stats", "runtime/shown"),
    "arrivals": ("runtime/ports",),
    "copies": ("runtime/copy",),
    "resting": ("runtime/rest", "runtime/parts", "runtime/handover", "tables/common/qsbr"),
    "windows": ("runtime/adapt", "runtime/fall_back", "runtime/window", "runtime/switch"),
    "ciphered": ("runtime/cipher",),
    "sampled": ("runtime/clocks",),
    "swapped": ("runtime/replace",),
    "traced": ("runtime/trace", "runtime/ring", "runtime/bell", "tables/common/qsbr"),
    "lines": ("runtime/log", "runtime/messages", "runtime/ring", "runtime/shown"),
    "closing": ("runtime/port",),
    "asked": ("runtime/port",),
    "privileges": ("runtime/privileges",),
    "loops": ("runtime/loops",),
    "order": COPIES,
    "again": ("runtime/requests", *COPIES),
    "refused": (
        "runtime/multicast",
        "runtime/profile",
        "runtime/profile_groups",
        "runtime/profile_members",
        "runtime/handles",
        "runtime/ids",
        "tables/common/epoch",
        "tables/common/indices",
        "tables/common/memory",
        "tables/common/sequence",
        "tables/common/values",
    ),
    "groups": (
        "tables/common/epoch",
        "runtime/multicast",
        "runtime/profile",
        "runtime/profile_groups",
        "runtime/profile_members",
        "runtime/handles",
        "runtime/ids",
        "tables/common/indices",
        "tables/common/memory",
        "tables/common/sequence",
        "tables/common/values",
        "tables/common/qsbr",
    ),
}


ALONE = {"asked", "closing"}  # the functions of their files that nothing calls are left out, with what these call


@pytest.mark.parametrize(
    ("part", "sanitizer"), [("ring", "thread"), ("groups", "thread"), *((part, "address,undefined") for part in PARTS)]
)
def test_parts_of_the_runtime(tmp_path: Path, part: str, sanitizer: str) -> None:
    """Each program of tests/c/runtime tests one part by itself, as it says at its head, and prints ok."""
    sources = [ROOT / f"tests/c/runtime/{part}.c", *(BACKEND / f"{source}.c" for source in PARTS[part])]
    binary = tmp_path / part
    includes = [f"-I{BACKEND / folder}" for folder in ("", "include", "platform/linux/include")]
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g1", f"-fsanitize={sanitizer}", *WARNINGS, *includes, "-pthread"]
    flags += ["-ffunction-sections", "-Wl,--gc-sections"] if part in ALONE else []
    built = run("gcc", *flags, *sources, "-o", binary)
    assert built.returncode == 0, built.stderr
    done = run(without_randomised_addresses(binary, tmp_path))
    assert done.stdout.startswith("ok"), done.stdout + done.stderr


def change_everything(socket: Path, failures: list[str]) -> None:
    """Commands of every kind, again and again; the last thing is to be sure that all of them worked."""
    lines = [f"table_add dmac {'flood' if i % 3 else 'forward'} {i} => 1" for i in range(60)]
    lines += [f"table_add routes forward 10.0.{i}.0/24 => 0" for i in range(50)]
    lines += [
        "mc_node_update 0 0",
        "mc_node_update 0 0 1",
        "table_set_default dmac forward 0",
        "set_burst 16 4",
        "set_adapt on",
    ]
    lines += ["table_clear dmac", "table_clear routes", "counter_reset port_counter", "counter_read port_counter 0"]
    lines += ["register_write seen 0 5", "meter_set_rates police 0 1:5 1:10", "set_burst 64 8", "stats"]
    with Client(socket) as client:
        for _ in range(8):
            reply = client.bulk(lines, keep_going=True)
            failures += [reply.text] if reply.failed else []


def threads_without_capabilities(process: int) -> int:
    told = [(thread / "status").read_text() for thread in Path(f"/proc/{process}/task").iterdir()]
    return sum("CapEff:\t0000000000000000\n" in status for status in told)


def test_no_data_races_while_everything_changes(build_sample, tmp_path: Path) -> None:
    binary = build_sample(optimise="-O1", sanitize=("thread",))
    ports = ["--port=0=ctl:", "--port=1=ctl:", "--workers=2"]
    switch = Switch(without_randomised_addresses(binary, tmp_path), tmp_path, ports)
    assert threads_without_capabilities(switch.process.pid) >= 3  # the control thread and the workers
    switch.do("mc_mgrp_create 1", "mc_node_create 0 0 1", "mc_node_associate 1 0", "table_set_default dmac forward 1")
    switch.client.subscribe()
    failures: list[str] = []
    changing = threading.Thread(target=change_everything, args=(switch.socket, failures))
    changing.start()
    kinds = (0x4E61, 0x3E7E, 0xD1E5, 0xBEEF)
    while changing.is_alive():
        for port in (0, 1):
            switch.client.inject(port, [ethernet(dst=i % 60, kind=kinds[i % 4]) for i in range(100)])
            switch.client.inject(port, [ipv4(f"10.0.{i}.1") for i in range(50)])
        switch.client.collect()
    changing.join()
    stats = switch.client.stats()
    assert failures == []
    assert stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]
    switch.stop()
