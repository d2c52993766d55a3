"""The C tree → text. The only place where C is text: parentheses, indentation, and the escaping of strings and comments.

Parentheses stand where a reader, or -Wparentheses, would miss them, not only where C's grammar needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from transpiler.codegen.c.escape import comment, string
from transpiler.codegen.c.nodes import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Case,
    Cast,
    Compound,
    Conditional,
    Declare,
    Do,
    Expression,
    Goto,
    If,
    Index,
    Label,
    Literal,
    Member,
    Name,
    Note,
    Return,
    Statement,
    String,
    Switch,
    Unary,
    While,
    leaves,
)

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
BITWISE = frozenset({"&", "^", "|"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
ASSOCIATIVE = frozenset({"+", "&", "|", "^", "&&", "||"})
INDENT = "    "

Parts = Callable[[Block], str]  # the text of a block whose template prints it


def expression(e: Expression) -> str:
    """The text of an expression."""
    match e:
        case Literal(text=text):
            return text
        case String(text=text):
            return string(text)
        case Name(name=name):
            return name
        case Member(of=of, name=name, arrow=arrow):
            return f"{_postfixed(of)}{'->' if arrow else '.'}{name}"
        case Index(of=of, at=at):
            return f"{_postfixed(of)}[{expression(at)}]"
        case Call(function=function, arguments=arguments):
            return f"{function}({_list(arguments)})"
        case Unary(operator=operator, operand=Unary(operator=inner) as operand) if inner[0] == operator[-1] in "+-&":
            return f"{operator}({expression(operand)})"  # else they would be one operator
        case Unary(operator=operator, operand=operand):
            return f"{operator}{_unary_operand(operand)}"
        case Binary(operator=operator, left=left, right=right):
            return f"{_operand(left, operator)} {operator} {_operand(right, operator)}"
        case Cast(type=type_, operand=operand):
            return f"({type_}){_unary_operand(operand)}"
        case Conditional():
            return _conditional(e)
        case Compound(type=type_, items=items):
            return f"{f'({type_})' if type_ else ''}{{{_list(items)}}}"
        case Note(of=of, text=text):
            return f"{expression(of)} /* {comment(text)} */"


def _list(items: tuple[Expression, ...]) -> str:
    return ", ".join(map(expression, items))


def _is_primary(e: Expression) -> bool:
    return isinstance(e, Literal | String | Name | Member | Index | Call | Compound | Note)


def _postfixed(e: Expression) -> str:
    return expression(e) if _is_primary(e) else f"({expression(e)})"


def _unary_operand(e: Expression) -> str:
    return expression(e) if _is_primary(e) or isinstance(e, Unary | Cast) else f"({expression(e)})"


def _operand(e: Expression, outer: str) -> str:
    """An operand of a binary operator."""
    match e:
        case Binary(operator=inner):
            together = inner == outer and outer in ASSOCIATIVE
            compared = outer in ("&&", "||") and inner in COMPARISONS
            counted = outer in COMPARISONS and inner in ARITHMETIC
            plain = together or compared or counted
        case Unary(operator="!"):
            plain = outer not in BITWISE | COMPARISONS
        case Conditional():
            plain = False
        case _:
            plain = True
    return expression(e) if plain else f"({expression(e)})"


def _conditional(e: Conditional) -> str:
    """One after the other where one hangs on another, a line each."""
    parts = []
    otherwise: Expression = e
    while isinstance(otherwise, Conditional):
        condition, then = (_choice(part) for part in (otherwise.condition, otherwise.then))
        parts.append(f"{condition} ? {then}")
        otherwise = otherwise.otherwise
    parts.append(_choice(otherwise))
    return (" : " if len(parts) == 2 else f"\n{INDENT}: ").join(parts)


def _choice(e: Expression) -> str:
    return f"({expression(e)})" if isinstance(e, Conditional) else expression(e)


class Printer:
    """Prints statements. `parts`: makes the text of a block that a template prints, its body included."""

    def __init__(self, parts: Parts | None = None) -> None:
        self.parts = parts

    def body(self, body: Body) -> str:
        """The statements of a body, a line each or more."""
        return "\n".join(line for statement in body for line in self._statement(statement))

    def _statement(self, s: Statement) -> Iterator[str]:
        match s:
            case Assign(target=target, value=value, operator=operator):
                yield from _lines(f"{expression(target)} {operator} {expression(value)};", s.cite)
            case Do(expression=done):
                yield from _lines(f"{expression(done)};", s.cite)
            case Declare():
                yield from _lines(declaration(s), s.cite)
            case If():
                yield from self._if(s)
            case Switch(subject=subject, cases=cases):
                yield f"switch ({expression(subject)}) {{{_cited(s.cite)}"
                for case in cases:
                    yield from self._case(case)
                yield "}"
            case While(condition=condition, body=body):
                yield f"while ({expression(condition)}) {{{_cited(s.cite)}"
                yield from self._inner(body)
                yield "}"
            case Block(part=part) if part and self.parts is not None:
                yield from self.parts(s).splitlines()
            case Block(body=body, label=label):
                yield f"{{{_cited(s.cite)}"
                yield from self._inner(body)
                yield "}"
                if label:
                    yield f"{label}:;"
            case Label(name=name):
                yield f"{name}:;{_cited(s.cite)}"
            case Goto(label=label):
                yield f"goto {label};"
            case Return(last=last):
                for statement in last:
                    yield from self._statement(statement)
                yield "return;"

    def _inner(self, body: Body) -> Iterator[str]:
        for statement in body:
            for line in self._statement(statement):
                yield f"{INDENT}{line}" if line else line

    def _if(self, s: If) -> Iterator[str]:
        yield f"if ({expression(s.condition)}) {{{_cited(s.cite)}"
        yield from self._inner(s.then)
        match s.otherwise:
            case (If() as other,):
                first, *rest = self._if(other)
                yield f"}} else {first}"
                yield from rest
                return
            case (_, *_):
                yield "} else {"
                yield from self._inner(s.otherwise)
        yield "}"

    def _case(self, case: Case) -> Iterator[str]:
        labels = [f"case {expression(label)}:" for label in case.labels] + ["default:"] * case.default
        yield f"{labels[0]}{_cited(case.cite)}"
        yield from labels[1:]
        yield from self._inner(case.body)
        if not leaves(case.body):
            yield f"{INDENT}break;"


def declaration(d: Declare) -> str:
    """The declaration, complete with its semicolon."""
    named = f"{d.name}[{d.size}]" if d.size else d.name
    space = "" if d.type.endswith("*") else " "
    if d.type.endswith("*") and d.constant:
        text = f"{d.type}const {named}"
    else:
        text = f"{'const ' if d.constant else ''}{d.type}{space}{named}"
    return f"{text};" if d.value is None else f"{text} = {expression(d.value)};"


def _cited(cite: str) -> str:
    return f" /* {comment(cite)} */" if cite else ""


def _lines(text: str, cite: str) -> Iterator[str]:
    yield from f"{text}{_cited(cite)}".split("\n")
