"""Methods of the service standard: counters, meters, registers, parser value sets. docs/control.md has the elements."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from macsad.described import Extern, Table
from macsad.protocol import Outcome, Reading, Update
from macsad.thrift.described import Struct, standard
from macsad.thrift.entries import rules, signed
from macsad.thrift.refusals import Refused, refuses
from macsad.thrift.tables import Tables

_of_table = refuses(standard.InvalidTableOperation, standard.TableOperationErrorCode)
_of_counter = refuses(standard.InvalidCounterOperation, standard.CounterOperationErrorCode)
_of_meter = refuses(standard.InvalidMeterOperation, standard.MeterOperationErrorCode)
_of_register = refuses(standard.InvalidRegisterOperation, standard.RegisterOperationErrorCode)
_of_set = refuses(standard.InvalidParseVSetOperation, standard.ParseVSetOperationErrorCode)
_COUNT = struct.Struct(">QQ")
RATES = struct.Struct(">Bdddd")
_MICROS = 1e6  # in a second


class Externs(Tables):
    # --- elements -----------------------------------------------------------------------------------------------------

    def _read(self, extern: Extern, index: int, size: int, count: int = 1) -> bytes:
        if not index >= 0 or index + count > extern.size:
            raise Refused(f"{extern.name} has {extern.size} elements", "INVALID_INDEX")
        return self.switch.ask(lambda client: client.read_elements(extern.number, index, count, size))

    def _write(self, extern: Extern, indices: range, element: bytes) -> None:
        if indices.start < 0 or indices.stop > extern.size or indices.start > indices.stop:
            raise Refused(f"{extern.name} has {extern.size} elements", "INVALID_INDEX")
        changes = [struct.pack(">BHI", Update.ELEMENT, extern.number, index) + element for index in indices]
        for outcome, _ in self.switch.ask(lambda client: client.update(changes)):
            if outcome is not Outcome.DONE:
                raise Refused(f"{extern.name}: {outcome.name}")

    def _index(self, table: Table, handle: int) -> int:
        """Of the element of a direct extern."""
        return self.rule(table, handle)[2]

    # --- counters -----------------------------------------------------------------------------------------------------

    def _count(self, counter: Extern, index: int) -> Struct:
        packets, count = _COUNT.unpack(self._read(counter, index, _COUNT.size))
        return standard.BmCounterValue(bytes=signed(count, 64), packets=signed(packets, 64))

    def _set_count(self, counter: Extern, index: int, value: Struct) -> None:
        element = struct.pack(">qq", value.packets or 0, value.bytes or 0)
        self._write(counter, range(index, index + 1), element)

    def _counter(self, name: str) -> Extern:
        return self.switch.program.extern(name, "INVALID_COUNTER_NAME", "counter")

    def _direct_counter(self, table: Table) -> Extern:
        return self.switch.program.direct(table, "direct_counter", "COUNTERS_DISABLED")

    @_of_table
    def bm_mt_read_counter(self, table_name: str, entry_handle: int) -> Struct:
        table = self._table(table_name)
        return self._count(self._direct_counter(table), self._index(table, entry_handle))

    @_of_table
    def bm_mt_reset_counters(self, table_name: str) -> None:
        self.switch.command("counter_reset", self._direct_counter(self._table(table_name)).name)

    @_of_table
    def bm_mt_write_counter(self, table_name: str, entry_handle: int, value: Struct) -> None:
        table = self._table(table_name)
        self._set_count(self._direct_counter(table), self._index(table, entry_handle), value)

    @_of_counter
    def bm_counter_read(self, counter_name: str, index: int) -> Struct:
        return self._count(self._counter(counter_name), index)

    @_of_counter
    def bm_counter_reset_all(self, counter_name: str) -> None:
        self.switch.command("counter_reset", self._counter(counter_name).name)

    @_of_counter
    def bm_counter_write(self, counter_name: str, index: int, value: Struct) -> None:
        self._set_count(self._counter(counter_name), index, value)

    # --- meters -------------------------------------------------------------------------------------------------------

    def _rates(self, meter: Extern, index: int) -> list[Struct]:
        configured, *numbers = RATES.unpack(self._read(meter, index, RATES.size))
        pairs = [(numbers[0], numbers[1]), (numbers[2], numbers[3])] if configured else []
        return [
            standard.BmMeterRateConfig(units_per_micros=rate / _MICROS, burst_size=int(burst)) for rate, burst in pairs
        ]

    def _set_rates(self, meter: Extern, indices: range, rates: Sequence[Struct]) -> None:
        if len(rates) != 2:
            raise Refused("a meter has two rates", "BAD_RATES_LIST")
        low, high = ((one.units_per_micros or 0.0, float(one.burst_size or 0)) for one in rates)
        if not 0 <= low[0] <= high[0]:
            raise Refused("the committed rate is above the peak rate", "INVALID_INFO_RATE_VALUE")
        if min(low[1], high[1]) < 0:
            raise Refused("a burst is negative", "INVALID_BURST_SIZE_VALUE")
        element = RATES.pack(1, low[0] * _MICROS, low[1], high[0] * _MICROS, high[1])
        self._write(meter, indices, element)

    def _meter(self, name: str) -> Extern:
        return self.switch.program.extern(name, "INVALID_METER_NAME", "meter", "direct_meter")

    def _direct_meter(self, table: Table) -> Extern:
        return self.switch.program.direct(table, "direct_meter", "METERS_DISABLED")

    @_of_table
    def bm_mt_set_meter_rates(self, table_name: str, entry_handle: int, rates: Sequence[Struct]) -> None:
        table = self._table(table_name)
        index = self._index(table, entry_handle)
        self._set_rates(self._direct_meter(table), range(index, index + 1), rates)

    @_of_table
    def bm_mt_get_meter_rates(self, table_name: str, entry_handle: int) -> list[Struct]:
        table = self._table(table_name)
        return self._rates(self._direct_meter(table), self._index(table, entry_handle))

    @_of_meter
    def bm_meter_array_set_rates(self, meter_array_name: str, rates: Sequence[Struct]) -> None:
        meter = self._meter(meter_array_name)
        self._set_rates(meter, range(meter.size), rates)

    @_of_meter
    def bm_meter_set_rates(self, meter_array_name: str, index: int, rates: Sequence[Struct]) -> None:
        self._set_rates(self._meter(meter_array_name), range(index, index + 1), rates)

    @_of_meter
    def bm_meter_get_rates(self, meter_array_name: str, index: int) -> list[Struct]:
        return self._rates(self._meter(meter_array_name), index)

    # --- registers: of wider ones, the last 64 bits -------------------------------------------------------------------

    def _register(self, name: str) -> Extern:
        return self.switch.program.extern(name, "INVALID_REGISTER_NAME", "register")

    def _values(self, register: Extern, index: int, count: int) -> list[int]:
        size = (register.bits + 7) // 8
        data = self._read(register, index, size, count)
        return [signed(int.from_bytes(data[at : at + size], "big"), 64) for at in range(0, len(data), size)]

    def _set_values(self, register: Extern, indices: range, value: int) -> None:
        wrapped = value & ((1 << register.bits) - 1)
        self._write(register, indices, wrapped.to_bytes((register.bits + 7) // 8, "big"))

    @_of_register
    def bm_register_read(self, register_array_name: str, idx: int) -> int:
        return self._values(self._register(register_array_name), idx, 1)[0]

    @_of_register
    def bm_register_read_all(self, register_array_name: str) -> list[int]:
        register = self._register(register_array_name)
        return self._values(register, 0, register.size)

    @_of_register
    def bm_register_write(self, register_array_name: str, index: int, value: int) -> None:
        self._set_values(self._register(register_array_name), range(index, index + 1), value)

    @_of_register
    def bm_register_write_range(self, register_array_name: str, start_index: int, end_index: int, value: int) -> None:
        self._set_values(self._register(register_array_name), range(start_index, end_index), value)

    @_of_register
    def bm_register_reset(self, register_array_name: str) -> None:
        self.switch.command("register_reset", self._register(register_array_name).name)

    # --- parser value sets: a value is its fields one behind the other, and zeros before them to a whole byte ---------

    def _member(self, name: str, value: bytes) -> tuple[Table, list[str]]:
        wanted = self.switch.program.value_set(name)
        bits, number, words = sum(field.bits for field in wanted.key), int.from_bytes(value, "big"), []
        for field in wanted.key:
            bits -= field.bits
            words.append(f"0x{number >> bits & ((1 << field.bits) - 1):x}")
        return wanted, words

    @_of_set
    def bm_parse_vset_add(self, parse_vset_name: str, value: bytes) -> None:
        self._change_set("pvs_add", parse_vset_name, value, "has this member already")

    @_of_set
    def bm_parse_vset_remove(self, parse_vset_name: str, value: bytes) -> None:
        self._change_set("pvs_remove", parse_vset_name, value, "has no such member")

    def _change_set(self, command: str, name: str, value: bytes, fine: str) -> None:
        """What is so already is no error, as in BMv2."""
        wanted, words = self._member(name, value)
        try:
            self.switch.command(command, wanted.name, *words)
        except Refused as refused:
            if fine not in str(refused):
                raise

    @_of_set
    def bm_parse_vset_get(self, parse_vset_name: str) -> list[bytes]:
        wanted = self.switch.program.value_set(parse_vset_name)
        parts = self.switch.ask(lambda client: list(client.read_entries(wanted.number, Reading.RULES)))
        return [_packed(wanted, entry) for part in parts for entry, _, _ in rules(wanted, part)]

    @_of_set
    def bm_parse_vset_clear(self, parse_vset_name: str) -> None:
        self.switch.command("pvs_clear", self.switch.program.value_set(parse_vset_name).name)


def _packed(wanted: Table, entry: Struct) -> bytes:
    """A member of a value set as one value."""
    number = bits = 0
    for field, param in zip(wanted.key, entry.match_key, strict=True):
        given = param.exact or param.ternary or param.lpm
        value = given.key if given else param.range.start
        number, bits = number << field.bits | int.from_bytes(value, "big"), bits + field.bits
    return number.to_bytes((bits + 7) // 8, "big")
