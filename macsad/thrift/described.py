"""The services and types that idl/ describes, as thriftpy2 makes them at run time."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import thriftpy2

Struct = Any  # made at run time, so that nothing can be said about them statically


def _load(name: str) -> Any:
    return thriftpy2.load(str(files("macsad.thrift") / "idl" / f"{name}.thrift"), module_name=f"macsad_{name}_thrift")


standard = _load("standard")
simple_pre = _load("simple_pre")
simple_pre_lag = _load("simple_pre_lag")
simple_switch = _load("simple_switch")

# Services by the names under which clients ask for them (Thrift's multiplexed protocol).
SERVICES = {
    "standard": standard.Standard,
    "simple_pre": simple_pre.SimplePre,
    "simple_pre_lag": simple_pre_lag.SimplePreLAG,
    "simple_switch": simple_switch.SimpleSwitch,
}
