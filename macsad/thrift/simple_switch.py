"""The service simple_switch: clone sessions, queues, time."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable
from typing import Any

from macsad.thrift.described import Struct, simple_switch
from macsad.thrift.refusals import Refused
from macsad.thrift.switch import Switch

_SESSION = re.compile(r": (port|multicast group) (\d+)")
_FAILED = 1


def _told(method: Callable[..., None]) -> Callable[..., int]:
    """For methods that have no exceptions: 0, or 1 where the switch did not do it."""

    @functools.wraps(method)
    def answered(*arguments: Any) -> int:
        try:
            method(*arguments)
        except Refused:
            return _FAILED
        return 0

    return answered


def _not_found(refused: Refused) -> Exception:
    codes = simple_switch.MirroringOperationErrorCode
    failure: Exception = simple_switch.InvalidMirroringOperation(code=codes.SESSION_NOT_FOUND)
    return failure


class SimpleSwitch:
    def __init__(self, switch: Switch) -> None:
        self.switch = switch

    # --- clone sessions -----------------------------------------------------------------------------------------------

    def mirroring_session_add(self, mirror_id: int, config: Struct) -> None:
        try:
            if config.mgid is not None:
                self.switch.command("mirroring_add_mc", mirror_id, config.mgid)
            else:
                self.switch.command("mirroring_add", mirror_id, config.port)
        except Refused as refused:
            raise _not_found(refused) from None

    def mirroring_session_delete(self, mirror_id: int) -> None:
        try:
            self.switch.command("mirroring_delete", mirror_id)
        except Refused as refused:
            raise _not_found(refused) from None

    def mirroring_session_get(self, mirror_id: int) -> Struct:
        try:
            told = self.switch.command("mirroring_get", mirror_id)
        except Refused as refused:
            raise _not_found(refused) from None
        config = simple_switch.MirroringSessionConfig()
        for kind, number in _SESSION.findall(told):
            setattr(config, "port" if kind == "port" else "mgid", int(number))
        return config

    @_told
    def mirroring_mapping_add(self, mirror_id: int, egress_port: int) -> None:
        self.switch.command("mirroring_add", mirror_id, egress_port)

    @_told
    def mirroring_mapping_delete(self, mirror_id: int) -> None:
        self.switch.command("mirroring_delete", mirror_id)

    def mirroring_mapping_get_egress_port(self, mirror_id: int) -> int:
        try:
            told = self.switch.command("mirroring_get", mirror_id)
        except Refused:
            return -1
        return next((int(number) for kind, number in _SESSION.findall(told) if kind == "port"), -1)

    # --- queues -------------------------------------------------------------------------------------------------------

    @_told
    def set_egress_priority_queue_depth(self, port_num: int, priority: int, depth_pkts: int) -> None:
        self.switch.command("set_queue_depth", depth_pkts, port_num, priority)

    @_told
    def set_egress_queue_depth(self, port_num: int, depth_pkts: int) -> None:
        self.switch.command("set_queue_depth", depth_pkts, port_num)

    @_told
    def set_all_egress_queue_depths(self, depth_pkts: int) -> None:
        self.switch.command("set_queue_depth", depth_pkts)

    @_told
    def set_egress_priority_queue_rate(self, port_num: int, priority: int, rate_pps: int) -> None:
        self.switch.command("set_queue_rate", rate_pps, port_num, priority)

    @_told
    def set_egress_queue_rate(self, port_num: int, rate_pps: int) -> None:
        self.switch.command("set_queue_rate", rate_pps, port_num)

    @_told
    def set_all_egress_queue_rates(self, rate_pps: int) -> None:
        self.switch.command("set_queue_rate", rate_pps)

    # --- time ---------------------------------------------------------------------------------------------------------

    def get_time_elapsed_us(self) -> int:
        return int(self.switch.command("get_time_elapsed"))

    def get_time_since_epoch_us(self) -> int:
        return time.time_ns() // 1000
