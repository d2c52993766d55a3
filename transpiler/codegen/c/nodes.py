"""The C that we generate, as a tree: expressions and statements, no more of C than is needed.

Nodes are values (frozen, compared by content) and know nothing of text: `printer.py` places parentheses, escapes strings and
comments. Names are C identifiers; `cite` and `Note.text` are text for people, which may come from outside.

    Expression = Literal | String | Name | Member | Index | Call | Unary | Binary | Cast | Conditional | Compound | Note
    Statement  = Assign | Do | Declare | If | Switch | While | Block | Label | Goto | Return
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, `true`, `false` or `NULL`, as C spells it."""

    text: str


@dataclass(frozen=True, slots=True)
class String:
    """A string literal with this content."""

    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, a constant or a macro."""

    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """`of.name`, or `of->name` with `arrow`."""

    of: Expression
    name: str
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """`of[at]`"""

    of: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A function or a macro of the backend; `effects.py` knows what the functions do beside giving a value."""

    function: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Unary:
    """A prefix operator: ! ~ - & * ++"""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary operator without an effect."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Cast:
    """`(type)operand`"""

    type: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`"""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Compound:
    """`(type){items}`: a compound literal (C11 6.5.2.5); without a type a list within one, or an array's initialiser."""

    type: str
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """An expression with a comment behind it."""

    of: Expression
    text: str


Expression = Literal | String | Name | Member | Index | Call | Unary | Binary | Cast | Conditional | Compound | Note


@dataclass(frozen=True, slots=True)
class Assign:
    """`target operator value;` where the operator is = or one like +=."""

    target: Expression
    value: Expression
    cite: str = ""
    operator: str = "="


@dataclass(frozen=True, slots=True)
class Do:
    """An expression for what it does."""

    expression: Expression
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Declare:
    """A variable, of `size` elements if it is an array, until the end of the body that the statement is in. `constant`: it
    is never assigned."""

    type: str
    name: str
    value: Expression | None = None
    size: int | str = 0  # a string is C
    constant: bool = False
    cite: str = ""


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Body
    otherwise: Body = ()
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A case of a switch, `default` among its labels or not. Control never falls through to the next one."""

    labels: tuple[Expression, ...]
    body: Body
    default: bool = False
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    subject: Expression
    cases: tuple[Case, ...]
    cite: str = ""


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression
    body: Body
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A body with variables of its own; `label` stands behind it, if anything goes there. `part`: the template that prints
    it, so that a target can put something around it."""

    body: Body
    label: str = ""
    cite: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Goto:
    label: str


@dataclass(frozen=True, slots=True)
class Return:
    """The end of a function without a value; `last`: what it does with the packet just before."""

    last: Body = ()


Statement = Assign | Do | Declare | If | Switch | While | Block | Label | Goto | Return
Body = tuple[Statement, ...]


def leaves(body: Body) -> bool:
    """Whether control surely goes elsewhere, so that nothing behind the body is reached."""
    match body[-1:]:
        case (Goto() | Return(),):
            return True
        case (If(then=then, otherwise=otherwise),):
            return leaves(then) and leaves(otherwise)
    return False
