"""Commands for counters, meters, registers and parser value sets."""

from __future__ import annotations

from macsad.shims.cli.program import Array
from macsad.shims.cli.session import Session, Words, command
from macsad.shims.cli.values import set_value
from macsad.shims.cli.wrong import Wrong, at_least, exactly, number
from macsad.thrift.described import Struct, standard

# --- counters ---------------------------------------------------------------------------------------------------------


@command("<name> <index>", "read a counter; the index of a direct one is a handle", "counters")
def counter_read(session: Session, words: Words) -> None:
    exactly(words, 2)
    counter, index = session.program.counters.find(words[0]), number(words[1], "index")
    if counter.binding is None:
        value = session.standard.bm_counter_read(0, counter.name, index)
    else:
        session.say("this is the direct counter for table", counter.binding)
        value = session.standard.bm_mt_read_counter(0, counter.binding, index)
    session.say(f"{words[0]}[{index}]= ({value.bytes} bytes, {value.packets} packets)")


@command("<name> <index> <packets> <bytes>", "set a counter", "counters")
def counter_write(session: Session, words: Words) -> None:
    exactly(words, 4)
    counter, index = session.program.counters.find(words[0]), number(words[1], "index")
    value = standard.BmCounterValue(packets=number(words[2], "packets"), bytes=number(words[3], "bytes"))
    if counter.binding is None:
        session.standard.bm_counter_write(0, counter.name, index, value)
    else:
        session.say("writing to direct counter for table", counter.binding)
        session.standard.bm_mt_write_counter(0, counter.binding, index, value)
    session.say(f"{words[0]}[{index}] has been updated")


@command("<name>", "set all of a counter to zero", "counters")
def counter_reset(session: Session, words: Words) -> None:
    exactly(words, 1)
    counter = session.program.counters.find(words[0])
    if counter.binding is None:
        session.standard.bm_counter_reset_all(0, counter.name)
    else:
        session.say("this is the direct counter for table", counter.binding)
        session.standard.bm_mt_reset_counters(0, counter.binding)


# --- meters -----------------------------------------------------------------------------------------------------------


def _rates(meter: Array, words: Words) -> list[Struct]:
    if len(words) != meter.rates:
        raise Wrong(f"Invalid number of rates, expected {meter.rates} but got {len(words)}")
    try:
        pairs = [(float(rate), int(burst)) for rate, burst in (word.split(":") for word in words)]
    except ValueError:
        raise Wrong("Error while parsing rates") from None
    return [standard.BmMeterRateConfig(units_per_micros=rate, burst_size=burst) for rate, burst in pairs]


@command("<name> <rate>:<burst> <rate>:<burst>", "set the rates of all of a meter", "meters")
def meter_array_set_rates(session: Session, words: Words) -> None:
    at_least(words, 1)
    meter = session.program.meters.find(words[0])
    session.standard.bm_meter_array_set_rates(0, meter.name, _rates(meter, words[1:]))


@command(
    "<name> <index> <rate>:<burst> <rate>:<burst>", "set the rates of a meter: units a microsecond, and units", "meters"
)
def meter_set_rates(session: Session, words: Words) -> None:
    at_least(words, 2)
    meter, index = session.program.meters.find(words[0]), number(words[1], "index")
    rates = _rates(meter, words[2:])
    if meter.binding is None:
        session.standard.bm_meter_set_rates(0, meter.name, index, rates)
    else:
        session.standard.bm_mt_set_meter_rates(0, meter.binding, index, rates)


@command("<name> <index>", "the rates of a meter", "meters")
def meter_get_rates(session: Session, words: Words) -> None:
    exactly(words, 2)
    meter, index = session.program.meters.find(words[0]), number(words[1], "index")
    if meter.binding is None:
        rates = session.standard.bm_meter_get_rates(0, meter.name, index)
    else:
        rates = session.standard.bm_mt_get_meter_rates(0, meter.binding, index)
    if len(rates) != meter.rates:
        session.say("WARNING: expected", meter.rates, "rates but only received", len(rates))
    for at, rate in enumerate(rates):
        session.say(f"{at}: info rate = {rate.units_per_micros}, burst size = {rate.burst_size}")


# --- registers --------------------------------------------------------------------------------------------------------


@command("<name> [index]", "read a register, or all of it", "registers")
def register_read(session: Session, words: Words) -> None:
    at_least(words, 1)
    register = session.program.registers.find(words[0])
    if len(words) > 1:
        exactly(words, 2)
        index = number(words[1], "index")
        session.say(f"{words[0]}[{index}]=", session.standard.bm_register_read(0, register.name, index))
    else:
        session.note("register index omitted, reading entire array")
        values = session.standard.bm_register_read_all(0, register.name)
        session.say(f"{words[0]}=", ", ".join(str(value) for value in values))


@command("<name> <index> <value>", "set a register", "registers")
def register_write(session: Session, words: Words) -> None:
    exactly(words, 3)
    register, index = session.program.registers.find(words[0]), number(words[1], "index")
    session.standard.bm_register_write(0, register.name, index, number(words[2], "value", ", must be an integer"))


@command("<name>", "set all of a register to zero", "registers")
def register_reset(session: Session, words: Words) -> None:
    exactly(words, 1)
    session.standard.bm_register_reset(0, session.program.registers.find(words[0]).name)


# --- parser value sets ------------------------------------------------------------------------------------------------


@command("", "list the parser value sets")
def show_pvs(session: Session, words: Words) -> None:
    exactly(words, 0)
    for name in sorted(session.program.value_sets):
        session.say(f"{name:30} [compressed bitwidth:{session.program.value_sets[name].bits}]")


@command("<pvs name> <value>", "add a value to a parser value set", "value_sets")
def pvs_add(session: Session, words: Words) -> None:
    exactly(words, 2)
    found = session.program.value_sets.find(words[0])
    session.standard.bm_parse_vset_add(0, found.name, set_value(words[1], found.bits))


@command("<pvs name> <value>", "take a value out of a parser value set", "value_sets")
def pvs_remove(session: Session, words: Words) -> None:
    exactly(words, 2)
    found = session.program.value_sets.find(words[0])
    session.standard.bm_parse_vset_remove(0, found.name, set_value(words[1], found.bits))


@command("<pvs name>", "the values of a parser value set, one a line", "value_sets")
def pvs_get(session: Session, words: Words) -> None:
    exactly(words, 1)
    for value in session.standard.bm_parse_vset_get(0, session.program.value_sets.find(words[0]).name):
        session.say(value.hex())


@command("<pvs name>", "take all values out of a parser value set", "value_sets")
def pvs_clear(session: Session, words: Words) -> None:
    exactly(words, 1)
    session.standard.bm_parse_vset_clear(0, session.program.value_sets.find(words[0]).name)
