"""Methods of the service standard: ports, the program, the state as a whole, hash parameters, digests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from macsad.thrift.config import config_of
from macsad.thrift.described import Struct, standard
from macsad.thrift.entries import unsigned
from macsad.thrift.refusals import Refused, refuses
from macsad.thrift.state import reset, serialized
from macsad.thrift.swaps import Swaps
from macsad.thrift.switch import Program, Switch

_of_device = refuses(standard.InvalidDevMgrOperation, standard.DevMgrErrorCode)
_of_learning = refuses(standard.InvalidLearnOperation, standard.LearnOperationErrorCode)
_of_crc = refuses(standard.InvalidCrcOperation, standard.CrcErrorCode)
_of_toeplitz = refuses(standard.InvalidToeplitzHashOperation, standard.ToeplitzHashErrorCode)
_of_swap = refuses(standard.InvalidSwapOperation, standard.SwapOperationErrorCode, of_context=False)
_of_ids = refuses(standard.InvalidIdLookup, standard.IdLookupErrorCode)


@dataclass(frozen=True, slots=True)
class Identity:
    """What the switch was started as. `config`: the program as BMv2's JSON."""

    config: str
    device: int = 0
    thrift_port: int = 0


class Management:
    switch: Switch
    identity: Identity
    swaps: Swaps

    # --- ports --------------------------------------------------------------------------------------------------------

    def bm_dev_mgr_add_port(self, iface_name: str, port_num: int, pcap_path: str) -> None:
        self._change_ports("port_add", iface_name, port_num, *([pcap_path] if pcap_path else []))

    def bm_dev_mgr_remove_port(self, port_num: int) -> None:
        self._change_ports("port_remove", port_num)

    def _change_ports(self, *words: object) -> None:
        try:
            self.switch.command(*words)
        except Refused:
            raise standard.InvalidDevMgrOperation(code=standard.DevMgrErrorCode.ERROR) from None

    def bm_dev_mgr_show_ports(self) -> list[Struct]:
        return [
            standard.DevMgrPortInfo(
                port_num=port["port"], iface_name=port["name"], is_up=port.get("up", True), extra={}
            )
            for port in self.switch.described()["ports"]
        ]

    # --- the program --------------------------------------------------------------------------------------------------

    def bm_mgmt_get_info(self) -> Struct:
        return standard.BmConfig(device_id=self.identity.device, thrift_port=self.identity.thrift_port)

    def bm_get_config(self) -> str:
        if self.switch.config is not None:
            return self.switch.config
        return config_of(self.switch.program) if self.switch.replaced else self.identity.config

    def bm_get_config_md5(self) -> bytes:
        return hashlib.md5(self.bm_get_config().encode(), usedforsecurity=False).digest()

    @_of_swap
    def bm_load_new_config(self, config_str: str) -> None:
        self.swaps.load(config_str)

    @_of_swap
    def bm_swap_configs(self) -> None:
        self.swaps.swap()

    @_of_ids
    def bm_get_id_from_name(self, resource_type: int, resource_name: str) -> int:
        named = _IDS.get(resource_type)
        if named is None:
            raise Refused(f"{resource_type} is no type", "INVALID_RESOURCE_TYPE")
        names = list(named(self.switch.program))
        if resource_name not in names:
            raise Refused(f"there is no {resource_name}", "INVALID_RESOURCE_NAME")
        return names.index(resource_name)

    # --- hashes -------------------------------------------------------------------------------------------------------

    @_of_crc
    def bm_set_crc16_custom_parameters(self, calc_name: str, crc16_config: Struct) -> None:
        self._set_crc("set_crc16_parameters", calc_name, crc16_config, 16)

    @_of_crc
    def bm_set_crc32_custom_parameters(self, calc_name: str, crc32_config: Struct) -> None:
        self._set_crc("set_crc32_parameters", calc_name, crc32_config, 32)

    def _set_crc(self, command: str, name: str, config: Struct, bits: int) -> None:
        numbers = (config.polynomial, config.initial_remainder, config.final_xor_value)
        words = [unsigned(one or 0, bits) for one in numbers]
        words += [int(bool(one)) for one in (config.data_reflected, config.remainder_reflected)]
        known = self.switch.program.of_kind("custom_crc")
        if name not in known:
            raise Refused(f"there is no calculation {name}", "INVALID_CALCULATION_NAME")
        # in JSON of ours NAME#0, NAME#1, ... are its cases in which headers are missing
        for one in known:
            if one == name or one.startswith(f"{name}#"):
                self.switch.command(command, one, *words)

    @_of_toeplitz
    def bm_set_toeplitz_hash_key(self, calc_name: str, key: bytes) -> None:
        raise Refused(f"there is no Toeplitz hash {calc_name}", "INVALID_CALCULATION_NAME")

    # --- the state ----------------------------------------------------------------------------------------------------

    def bm_reset_state(self) -> None:
        reset(self.switch)

    def bm_serialize_state(self) -> str:
        return serialized(self.switch)

    # --- digests need no acknowledgement ------------------------------------------------------------------------------

    def _digest(self, list_id: int) -> None:
        if list_id not in range(len(self.switch.program.of_kind("digest"))):
            raise Refused(f"there is no digest {list_id}", "INVALID_LIST_ID")

    @_of_learning
    def bm_learning_ack(self, list_id: int, buffer_id: int, sample_ids: Sequence[int]) -> None:
        self._digest(list_id)

    @_of_learning
    def bm_learning_ack_buffer(self, list_id: int, buffer_id: int) -> None:
        self._digest(list_id)

    @_of_learning
    def bm_learning_set_timeout(self, list_id: int, timeout_ms: int) -> None:
        self._digest(list_id)
        raise Refused("digests are sent at once")

    @_of_learning
    def bm_learning_set_buffer_size(self, list_id: int, nb_samples: int) -> None:
        self._digest(list_id)
        raise Refused("digests are sent at once")


_IDS: dict[int, Callable[[Program], dict[str, object]]] = {
    standard.BmResourceType.MATCH_TABLE: lambda program: {**program.tables},
    standard.BmResourceType.ACTION_PROFILE: lambda program: {**program.of_kind("action_profile", "action_selector")},
    standard.BmResourceType.COUNTER: lambda program: {**program.of_kind("counter", "direct_counter")},
    standard.BmResourceType.METER: lambda program: {**program.of_kind("meter", "direct_meter")},
    standard.BmResourceType.REGISTER: lambda program: {**program.of_kind("register")},
    standard.BmResourceType.LEARNING_LIST: lambda program: {**program.of_kind("digest")},
}
