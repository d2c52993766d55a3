"""The clients of a switch's services, and what its exceptions are called."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path
from typing import Any

from thriftpy2.protocol import TBinaryProtocolFactory, TMultiplexedProtocolFactory
from thriftpy2.thrift import TApplicationException, TClient, TException
from thriftpy2.transport import TBufferedTransportFactory, TSocket, TTransportException

from macsad.shims.cli.program import NO_PROGRAM, Program
from macsad.shims.cli.session import Session
from macsad.terminal import Unwritable
from macsad.thrift.described import SERVICES, simple_pre, simple_pre_lag, simple_switch, standard

__all__ = ["Lost", "NoSwitch", "connect", "told"]
Lost = (TTransportException, OSError)
_PRES = {"None": None, "SimplePre": "simple_pre", "SimplePreLAG": "simple_pre_lag"}
_EXCEPTIONS = (
    (standard.InvalidTableOperation, "table", standard.TableOperationErrorCode),
    (standard.InvalidCounterOperation, "counter", standard.CounterOperationErrorCode),
    (standard.InvalidMeterOperation, "meter", standard.MeterOperationErrorCode),
    (standard.InvalidRegisterOperation, "register", standard.RegisterOperationErrorCode),
    (standard.InvalidLearnOperation, "learn", standard.LearnOperationErrorCode),
    (standard.InvalidSwapOperation, "swap", standard.SwapOperationErrorCode),
    (standard.InvalidDevMgrOperation, "device manager", standard.DevMgrErrorCode),
    (standard.InvalidCrcOperation, "crc", standard.CrcErrorCode),
    (standard.InvalidToeplitzHashOperation, "Toeplitz hash", standard.ToeplitzHashErrorCode),
    (standard.InvalidParseVSetOperation, "parser value set", standard.ParseVSetOperationErrorCode),
    (standard.InvalidIdLookup, "id lookup", standard.IdLookupErrorCode),
    (simple_pre.InvalidMcOperation, "PRE", simple_pre.McOperationErrorCode),
    (simple_pre_lag.InvalidMcOperation, "PRE", simple_pre_lag.McOperationErrorCode),
    (simple_switch.InvalidMirroringOperation, "mirroring", simple_switch.MirroringOperationErrorCode),
)


class NoSwitch(Exception):
    """None listens, or it does not tell its program."""


def connect(host: str, port: int, pre: str, json: Path | None) -> Session:
    """A session. `pre`: None, SimplePre or SimplePreLAG; `json`: the program, else the switch is asked for it. Raises:
    NoSwitch, Unwritable."""
    try:
        connection = socket.create_connection((host, port))
    except OSError as error:
        raise NoSwitch(str(error)) from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    transport = TBufferedTransportFactory().get_transport(TSocket(sock=connection))

    def client(name: str) -> Any:
        factory = TMultiplexedProtocolFactory(TBinaryProtocolFactory(), name)
        return TClient(SERVICES[name], factory.get_protocol(transport))

    main, replication = client("standard"), _PRES[pre]
    program = _program(main, json)
    multicast = None if replication is None else client(replication)
    return Session(main, multicast, client("simple_switch"), replication == "simple_pre_lag", program)


def _program(client: Any, json: Path | None) -> Program:
    try:
        if json is None:
            print("Obtaining JSON from switch...")
            text = client.bm_get_config()
            print("Done")
        else:
            text = json.read_text(encoding="utf-8")
            if hashlib.md5(text.encode(), usedforsecurity=False).digest() != client.bm_get_config_md5():
                print("**********\nWARNING: the switch runs another program than that of --json\n**********")
        return Program(text)
    except Unwritable:
        raise
    except (TException, OSError) as error:
        raise NoSwitch(f"Error when requesting JSON config from switch: {error}") from None
    except NO_PROGRAM as error:
        raise NoSwitch(f"the program's JSON cannot be read: {error}") from None


def told(error: Exception) -> str | None:
    """What a service refuses, as BMv2 tells it; None for what is none of its exceptions."""
    for exception, what, codes in _EXCEPTIONS:
        if isinstance(error, exception):
            return f"Invalid {what} operation ({codes._VALUES_TO_NAMES.get(error.code, error.code)})"
    if isinstance(error, TApplicationException):
        return f"Error: {error}"
    return None
