"""The parameters of custom CRCs, set while the switch runs: by Thrift, and by the command of simple_switch_CLI."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch

from macsad.shims.cli import connection
from macsad.shims.cli.commands import run
from macsad.shims.cli.session import Session
from macsad.thrift.config import config_of
from macsad.thrift.described import standard
from macsad.thrift.management import Identity
from macsad.thrift.server import Server
from macsad.thrift.switch import Switch as Served

PROGRAM = Path(__file__).parents[1] / "packets" / "hash.p4"
CRC32, CRC16 = 6, 7  # what a frame begins with to be hashed so
WORK = b"12345"  # what is hashed


@pytest.fixture(scope="module")
def hashing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(PROGRAM, ("address", "undefined"))
    running = Switch(binary, tmp_path_factory.mktemp("hashing"), ["--port=0=ctl:", "--port=1=ctl:"])
    yield running
    running.stop()


@pytest.fixture
def session(hashing: Switch) -> Iterator[Session]:
    server, served = Server("127.0.0.1", 0), Served(hashing.socket)
    server.start(served, Identity(config_of(served.program)))
    made = connection.connect("127.0.0.1", server.port, "None", None)
    yield made
    made.standard.close()
    server.close()
    served.close()


def hashed(switch: Switch, algorithm: int) -> int:
    ((_, frame),) = switch.client.exchange([(0, bytes([algorithm]) + WORK + bytes(4))])
    return int.from_bytes(frame[6:10], "big")


def crc(width: int, polynomial: int, initial: int, final: int, in_reflected: bool, out_reflected: bool) -> int:
    """Bit by bit, as the catalogues define it."""

    def mirrored(value: int, bits: int) -> int:
        return int(f"{value:0{bits}b}"[::-1], 2)

    remainder = initial
    for byte in WORK:
        remainder ^= (mirrored(byte, 8) if in_reflected else byte) << (width - 8)
        for _ in range(8):
            remainder = remainder << 1 ^ (polynomial if remainder >> (width - 1) & 1 else 0)
            remainder &= (1 << width) - 1
    return (mirrored(remainder, width) if out_reflected else remainder) ^ final


@pytest.mark.parametrize(
    ("name", "algorithm", "width", "parameters"),
    [
        ("calc_0", CRC32, 32, (0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, True, True)),  # Castagnoli
        ("calc_0", CRC32, 32, (0x04C11DB7, 0xFFFFFFFF, 0, False, False)),  # MPEG-2
        ("calc_0", CRC32, 32, (0x814141AB, 0, 1, True, False)),
        ("calc_1", CRC16, 16, (0x1021, 0xFFFF, 0, False, False)),
        ("calc_1", CRC16, 16, (0x8BB7, 0x1234, 0xFFFF, False, True)),
    ],
)
def test_parameters(hashing: Switch, session: Session, name: str, algorithm: int, width: int,
                    parameters: tuple[int, int, int, bool, bool]) -> None:  # fmt: skip
    words = [name, *(hex(number) for number in parameters[:3]), *("true" if flag else "0" for flag in parameters[3:])]
    run(session, [f"set_crc{width}_parameters", *words])
    assert hashed(hashing, algorithm) == crc(width, *parameters)


def test_the_plain_parameters_give_the_plain_hash(hashing: Switch, session: Session) -> None:
    hashing.do("set_crc32_parameters calc_0 0x04c11db7 0xffffffff 0xffffffff 1 1")
    assert hashed(hashing, CRC32) == zlib.crc32(WORK) == hashed(hashing, 1)
    before = hashed(hashing, CRC16)
    for numbers in ("0x10000 0 0", "0 0x10000 0", "0 0 0x10000"):
        assert "'0x10000' is no number of 16 bits" in hashing.fail(f"set_crc16_parameters calc_1 {numbers} 0 0")
    assert "is no number of 32 bits" in hashing.fail("set_crc32_parameters calc_0 1 0 0x100000000 0 0")
    for flags in ("0 2", "2 0"):
        assert "'2' is neither 0 nor 1" in hashing.fail(f"set_crc16_parameters calc_1 1 0 0 {flags}")
    assert hashing.fail("set_crc16_parameters calc_0 1 0 0 0 0") == "calc_0 is a CRC of 32 bits"
    assert hashing.fail("set_crc32_parameters calc_1 1 0 0 0 0") == "calc_1 is a CRC of 16 bits"
    assert (hashed(hashing, CRC32), hashed(hashing, CRC16)) == (zlib.crc32(WORK), before)


def test_what_is_refused(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    config = standard.BmCrc16Config(polynomial=-32763, initial_remainder=0, final_xor_value=0)
    for name, code in (("calc_0", "WRONG_TYPE_CALCULATION"), ("calc_7", "INVALID_CALCULATION_NAME")):
        with pytest.raises(standard.InvalidCrcOperation) as refused:
            session.standard.bm_set_crc16_custom_parameters(0, name, config)
        assert connection.told(refused.value) == f"Invalid crc operation ({code})"
    run(session, ["set_crc16_parameters", "calc_0", "1", "0", "0", "0", "0"])
    run(session, ["set_crc32_parameters", "calc_0", "0x100000000", "0", "0", "0", "0"])
    told = capsys.readouterr().out.splitlines()[-2:]
    assert told == ["Error: Invalid crc16_custom name (calc_0)", "Error: Integer cannot fit within 32 bits"]
