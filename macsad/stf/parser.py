"""Reads an STF file: one statement a line; what is in brackets or not yet complete may go on in the next."""

from __future__ import annotations

import re
from pathlib import Path

from macsad.stf import statements as st
from macsad.stf.lexer import Token, tokens
from transpiler.diagnostics import Diagnostics, Span

# command → (takes a name, number of numbers at least, at most)
_COMMANDS: dict[str, tuple[bool, int, int]] = {
    "mirroring_add": (False, 2, 4),
    "mirroring_add_mc": (False, 2, 4),
    "mirroring_delete": (False, 1, 1),
    "mirroring_get": (False, 1, 1),
    "port_host": (False, 1, 1),
    "port_net": (False, 1, 1),
    "mc_mgrp_create": (False, 1, 1),
    "mc_node_create": (False, 1, 1000),
    "mc_node_update": (False, 1, 1000),
    "mc_node_associate": (False, 2, 2),
    "counter_read": (True, 1, 1),
    "counter_write": (True, 3, 3),
    "register_read": (True, 1, 1),
    "register_write": (True, 2, 2),
    "register_reset": (True, 0, 0),
    "meter_get_rates": (True, 1, 1),
    "meter_set_rates": (True, 1, 1),
    "meter_array_set_rates": (True, 0, 0),
}
_RATED = ("meter_set_rates", "meter_array_set_rates")
PORT_MAX = 65535
_LONGEST_NUMBER = 4000  # digits; no key is as wide
_DATA = re.compile(r"[0-9a-fA-F*]+")


class _Malformed(Exception):
    """The statement at hand cannot be read; it has been reported."""


def parse_file(path: Path, diagnostics: Diagnostics) -> tuple[st.Statement, ...]:
    """Read a file. What is malformed is reported; the rest of the statements comes back all the same."""
    return parse(path.read_text(errors="replace"), str(path), diagnostics)


def parse(text: str, file: str, diagnostics: Diagnostics) -> tuple[st.Statement, ...]:
    """Read a text, `file` being its name in messages."""
    diagnostics.sources.texts.setdefault(file, text.splitlines())
    return _Parser(tokens(text, file, diagnostics), diagnostics).statements()


class _Parser:
    def __init__(self, found: list[Token], diagnostics: Diagnostics) -> None:
        self.tokens = found
        self.position = 0
        self.diagnostics = diagnostics

    # --- tokens ------------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.position + ahead, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.peek()
        self.position += 1
        return token

    def at(self, text: str) -> bool:
        return self.peek().kind == "symbol" and self.peek().text == text

    def accept(self, text: str) -> bool:
        if self.at(text):
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if not self.at(text):
            self.fail(f"'{text}' is expected here")
        return self.next()

    def fail(self, message: str, span: Span | None = None) -> None:
        token = self.peek()
        what = {"newline": "the line ends", "end": "the file ends"}.get(token.kind, f"there is '{token.text}'")
        self.diagnostics.error(span or token.span, message if span else f"{message}; {what}")
        raise _Malformed

    def skip_lines(self) -> None:
        while self.peek().kind == "newline":
            self.position += 1

    # --- statements --------------------------------------------------------------------------------------------------

    def statements(self) -> tuple[st.Statement, ...]:
        result: list[st.Statement] = []
        self.skip_lines()
        while self.peek().kind != "end":
            try:
                result.append(self.statement())
                if self.peek().kind not in ("newline", "end"):
                    self.fail("the statement should end here")
            except _Malformed:
                while self.peek().kind not in ("newline", "end"):
                    self.position += 1
            self.skip_lines()
        return tuple(result)

    def statement(self) -> st.Statement:
        word = self.next()
        if word.kind != "name":
            self.fail("a command is expected here", word.span)
        match word.text.lower():
            case "add":
                return self.add(word.span)
            case "member":
                return st.Member(self.name(), self.action(), self.named(), word.span)
            case "group":
                return self.group(word.span)
            case "setdefault":
                return st.SetDefault(self.name(), self.action(), word.span)
            case "remove":
                handle = self.name()
                return st.Remove(None if handle.text.lower() == "all" else handle, word.span)
            case "packet":
                return self.packet(word.span)
            case "expect":
                return self.expectation(word.span)
            case "no_packet":
                return st.NoPacket(word.span)
            case "wait":
                return st.Wait(word.span)
            case "check_counter":
                return self.check_counter(word.span)
            case "check_register":
                return self.check_register(word.span)
            case command if command in _COMMANDS:
                return self.command(command, word.span)
        self.fail(f"unknown command '{word.text}'", word.span)
        raise AssertionError("fail raises")

    def add(self, span: Span) -> st.Add:
        table = self.name()
        priority = self.number() if self.peek().kind == "number" else None
        keys: list[st.KeyValue] = []
        while True:
            self.skip_lines()
            name = self.name()
            if not self.at(":"):
                break
            keys.append(self.key_value(name))
        action = name if name.text.startswith("$") else self.action(name)
        handle = self.name() if self.accept("=") else None
        return st.Add(table, priority, tuple(keys), action, handle, span)

    def named(self) -> st.Name:
        self.expect("=")
        return self.name()

    def group(self, span: Span) -> st.Group:
        profile = self.name()
        members: list[st.Name] = []
        while not self.at("="):
            members.append(self.name())
        return st.Group(profile, tuple(members), self.named(), span)

    def key_value(self, name: st.Name) -> st.KeyValue:
        self.expect(":")
        first = self.number()
        for operator in ("/", "&&&", "..", "->"):
            if self.accept(operator):
                return st.KeyValue(name, ".." if operator == "->" else operator, first, self.number())
        return st.KeyValue(name, "", first, None)

    def action(self, name: st.Name | None = None) -> st.ActionText:
        name = name or self.name()
        self.expect("(")
        arguments: list[st.Argument] = []
        self.skip_lines()
        while not self.at(")"):
            argument = self.name()
            self.expect(":")
            arguments.append(st.Argument(argument, self.number()))
            self.skip_lines()
            if not self.at(")"):
                self.expect(",")
                self.skip_lines()
        self.expect(")")
        return st.ActionText(name, tuple(arguments))

    def check_counter(self, span: Span) -> st.CheckCounter:
        counter = self.name()
        self.expect("(")
        index = self.number() if self.peek().kind == "number" else self.name()
        self.expect(")")
        if self.peek().kind != "name":
            return st.CheckCounter(counter, index, "packets", "==", 0, span)
        unit = self.next()
        if unit.text.lower() not in ("packets", "bytes"):
            self.fail(f"'packets' or 'bytes' is expected, not '{unit.text}'", unit.span)
        return st.CheckCounter(counter, index, unit.text.lower(), *self.comparison(), span)

    def check_register(self, span: Span) -> st.CheckRegister:
        register = self.name()
        self.expect("(")
        index = self.number()
        self.expect(")")
        return st.CheckRegister(register, index, *self.comparison(), span)

    def comparison(self) -> tuple[str, int]:
        if self.peek().text not in ("==", "!=", "<", "<=", ">", ">="):
            self.fail("a comparison is expected here")
        operator = self.next().text
        return operator, self.number().value

    def command(self, word: str, span: Span) -> st.Command:
        named, least, most = _COMMANDS[word]
        name = self.name() if named else None
        numbers: list[st.Number] = []
        while self.peek().kind == "number" and len(numbers) < most:
            numbers.append(self.number())
        if len(numbers) < least:
            self.fail("a number is expected here")
        rates: list[st.Rate] = []
        while word in _RATED and self.peek().kind == "number":
            rates.append(self.rate())
        if word in _RATED and len(rates) != 2:
            self.fail(f"{word} takes two rates, committed and peak", span)
        return st.Command(word, name, tuple(numbers), tuple(rates), span)

    def rate(self) -> st.Rate:
        first = self.next()
        text = first.text
        if self.accept("."):
            text += "." + self.next().text
        self.expect(":")
        burst = self.number().value
        try:
            return st.Rate(float(text), burst)
        except ValueError:
            self.fail(f"'{text}' is not a rate", first.span)
            raise

    # --- names, numbers, data ----------------------------------------------------------------------------------------

    def name(self) -> st.Name:
        token = self.peek()
        if token.kind != "name":
            self.fail("a name is expected here")
        self.position += 1
        text = token.text
        while True:
            if self.at(".") and self.peek(1).kind in ("name", "number"):
                self.position += 1
                text += "." + self.next().text
            elif self.at("[") and self.peek(1).kind == "number":
                self.position += 1
                text += f"[{self.next().text}]"
                self.expect("]")
            else:
                break
        length = max(1, self.tokens[self.position - 1].span.column + len(self.tokens[self.position - 1].text))
        span = Span(token.span.file, token.span.line, token.span.column, length - token.span.column)
        return st.Name(re.sub(r"(?<=.)\$(\d+)", r"[\1]", text), span)

    def number(self) -> st.Number:
        token = self.peek()
        if token.kind != "number":
            self.fail("a number is expected here")
        self.position += 1
        text = token.text.lower()
        if len(text) > _LONGEST_NUMBER:
            self.fail("the number is too long", token.span)
        bits = {"0x": 4, "0b": 1, "0o": 3}.get(text[:2], 0)
        if not bits:
            return st.Number(int(text), 0, 0, token.span)
        digits, one = text[2:], {4: "f", 1: "1", 3: "7"}[bits]
        base = 1 << bits
        wild = "".join(one if d == "*" else "0" for d in digits)
        return st.Number(int(digits.replace("*", "0"), base), int(wild, base), bits * len(digits), token.span)

    def port_and_data(self) -> tuple[int, str, Span]:
        """The port, the digits without the spaces between them, and where the digits begin."""
        token = self.next()
        parts = token.text.split()
        if not parts or re.fullmatch(r"[0-9]{1,5}", parts[0]) is None or int(parts[0]) > PORT_MAX:
            self.fail(f"a port number, 0 to {PORT_MAX}, is expected here", token.span)
        offset = token.text.index(parts[0]) + len(parts[0])
        rest = token.text[offset:]
        column = token.span.column + offset + len(rest) - len(rest.lstrip())
        span = Span(token.span.file, token.span.line, column, max(1, len(rest.strip())))
        return int(parts[0]), "".join(parts[1:]), span

    def packet(self, span: Span) -> st.SendPacket:
        port, digits, where = self.port_and_data()
        if re.fullmatch(r"([0-9a-fA-F]{2})*", digits) is None:
            odd = re.fullmatch(r"[0-9a-fA-F]*", digits) is not None
            self.fail("an odd number of hex digits" if odd else "a packet is given in hex digits", where)
        return st.SendPacket(port, bytes.fromhex(digits), span)

    def expectation(self, span: Span) -> st.Expect:
        port, digits, where = self.port_and_data()
        exact = digits.endswith("$")
        digits = digits[:-1] if exact else digits
        if digits and _DATA.fullmatch(digits) is None:
            self.fail("a packet is expected in hex digits and '*', with '$' at most at its end", where)
        return st.Expect(port, digits.upper() if digits or exact else None, exact, span)
