"""Ciphers: the reference's AES by the standards' vectors, and the compiled switch with more keys than it has sessions for."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
import switches
from switch_harness import read_pcap, write_pcap

from macsad.cli import call
from transpiler.externs import cipher

APP = Path(__file__).parents[2] / "apps" / "l2fwd-crypto" / "l2fwd-crypto.p4"
STATIONS = 3000  # a worker keeps 4096 sessions, one for each direction


def test_a_block_of_fips_197() -> None:
    """Appendix C.1, where a block that is chained to zeros is the block alone."""
    key, text = bytes(range(16)), bytes(17 * i for i in range(16))
    ciphered = bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")
    assert cipher.encrypt_cbc(key, bytes(16), text) == ciphered
    assert cipher.decrypt_cbc(key, bytes(16), ciphered) == text


def test_a_chain_of_sp_800_38a() -> None:
    """F.2.1: the second block depends on the first."""
    key, iv = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), bytes(range(16))
    text = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    ciphered = bytes.fromhex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
    assert cipher.encrypt_cbc(key, iv, text) == ciphered
    assert cipher.decrypt_cbc(key, iv, ciphered) == text


def station(number: int) -> bytes:
    return (0x020000000000 + number).to_bytes(6, "big")


def key(number: int) -> bytes:
    return (number * 0x10001).to_bytes(16, "big")  # much alike


@pytest.mark.skipif(switches.PLATFORM != "linux", reason="other names of ports")
@pytest.mark.parametrize("burst", [1, 32, 256])
def test_more_keys_than_sessions(tmp_path: Path, burst: int) -> None:
    rng = random.Random(1)
    entries = [
        f"table_add stations encrypt 0x{station(n).hex()} 0x88b5 => 1 0x{key(n).hex()}\n"
        f"table_add stations decrypt 0x{station(n).hex()} 0x88b6 => 1 0x{key(n).hex()}\n"
        for n in range(STATIONS)
    ]
    frames, expected = [], []
    for _ in range(6000):
        number, encrypts = rng.randrange(STATIONS), rng.random() < 0.5
        iv, text = rng.randbytes(16), rng.randbytes(rng.choice((0, 16, 16, 32, 15)))
        kinds = (b"\x88\xb5", b"\x88\xb6") if encrypts else (b"\x88\xb6", b"\x88\xb5")
        frames.append(station(number) + bytes(6) + kinds[0] + iv + b"\x08\x00" + text)
        if len(text) % 16 == 0:
            run = cipher.encrypt_cbc if encrypts else cipher.decrypt_cbc
            ciphered = run(key(number), iv, text)
            expected.append(station(number) + bytes(6) + kinds[1] + iv + b"\x08\x00" + ciphered)
    write_pcap(tmp_path / "in.pcap", frames)
    (tmp_path / "entries.txt").write_text("".join(entries))
    binary, out = switches.build(APP, ("address", "undefined")), tmp_path / "out.pcap"
    ports = [f"--port=0=pcap:{tmp_path / 'in.pcap'}", f"--port=1=pcap:,{out}"]
    options = [f"--burst={burst}", "--entries", str(tmp_path / "entries.txt")]
    done = subprocess.run([binary, *ports, *options], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert read_pcap(out) == expected
    dropped = len(frames) - len(expected)
    assert f"dropped {dropped}: cipher {dropped}\n" in done.stdout


def test_an_odp_without_ciphers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as libodp-dpdk without a crypto device: the switch says what is missing, and does not start."""
    source = "#include <odp_api.h>\nint __wrap_odp_crypto_capability(odp_crypto_capability_t *capability);\n"
    source += "int __wrap_odp_crypto_capability(odp_crypto_capability_t *c) { *c = (odp_crypto_capability_t){0}; return 0; }\n"
    include = APP.parents[2] / "aux-backend" / "platform" / "linux" / "include"
    none = tmp_path / "none.o"
    subprocess.run(["gcc", "-I", include, "-xc", "-c", "-", "-o", none], input=source, text=True, check=True)
    monkeypatch.setenv("MACSAD_LDFLAGS", f"-Wl,--wrap=odp_crypto_capability {none}")
    assert call(["build", str(APP), "-O", "0", "-o", str(tmp_path)]) == 0
    command = [tmp_path / "l2fwd-crypto", "--port=0=null:", "--until-idle"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "error: the program ciphers with AES-128 in CBC mode, which this ODP does not have" in done.stderr
    assert "--vdev crypto_openssl" in done.stderr and "apt install librte-crypto-openssl23" in done.stderr
