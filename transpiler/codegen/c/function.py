"""A generated function: its variables, with what they begin with, and its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from transpiler.codegen.c.build import LIVE, PACKET
from transpiler.codegen.c.nodes import Body, Declare, Expression, Index, Member, Name, Unary
from transpiler.codegen.c.walk import parts


@dataclass(frozen=True, slots=True)
class Function:
    """`variables`: those of the whole function; bodies declare others. `replication`: it is of a replication pipeline."""

    name: str
    variables: tuple[Declare, ...]
    body: Body
    replication: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """Something that is written and read: a variable of a function (`scope` tells those of one name apart), or a member of
    the packet's state or record, which all functions share."""

    of: str
    name: str
    scope: int = 0


LIVE_MEMBER, RECORD_MEMBER, RECORD_OF_REPLICA = "live->", "packet->", "packet-> of replica"


@dataclass(slots=True)
class Scopes:
    """Which variable a name is, at a place of a function that is walked in the order of its statements."""

    function: str
    replication: bool
    record: frozenset[str] = frozenset()  # the members of the packet's record that are variables
    arrays: set[Variable] = field(default_factory=set)
    _names: dict[str, Variable] = field(default_factory=dict)
    _declared: int = 0

    @staticmethod
    def of(function: Function, record: frozenset[str] = frozenset()) -> Scopes:
        scopes = Scopes(function.name, function.replication, record)
        for variable in function.variables:
            scopes.declare(variable)
        return scopes

    def declare(self, of: Declare) -> Variable:
        """The variable that the name is from here on."""
        self._declared += 1
        self._names[of.name] = variable = Variable(self.function, of.name, self._declared)
        if of.size:
            self.arrays.add(variable)
        return variable

    def inside(self, walk: Callable[[], None]) -> None:
        """Walk a body: what it declares ends with it."""
        outer = dict(self._names)
        walk()
        self._names = outer

    @property
    def names(self) -> Mapping[str, Variable]:
        return self._names

    def member(self, e: Member) -> Variable | None:
        """The variable that a member of the packet's state or record is."""
        if not e.arrow:
            return None
        if e.of == LIVE:
            return Variable(LIVE_MEMBER, e.name)
        if e.of == PACKET and e.name in self.record:
            replication = self.replication and e.name == "egress_port"  # there the runtime directs the packet
            return Variable(RECORD_OF_REPLICA if replication else RECORD_MEMBER, e.name)
        return None

    def reads(self, e: Expression) -> set[Variable]:
        """The variables that an expression reads."""
        found: set[Variable] = set()
        todo = [e]
        while todo:
            e = todo.pop()
            match e:
                case Member():
                    if (variable := self.member(e)) is not None:
                        found.add(variable)
                    elif e.of not in (PACKET, LIVE):
                        todo.append(e.of)
                case Name(name=name):
                    if (variable := self._names.get(name)) is not None:
                        found.add(variable)
                    elif e == PACKET:  # the whole record
                        found.update(Variable(RECORD_MEMBER, member) for member in self.record)
                case _:
                    todo += parts(e)
        return found

    def written(self, target: Expression) -> tuple[Variable | None, tuple[Expression, ...]]:
        """The variable that a target is, or is a part of, and the expressions that say which part; None for other places."""
        which: list[Expression] = []
        while True:
            match target:
                case Name(name=name):
                    return self._names.get(name), tuple(which)
                case Member() if (variable := self.member(target)) is not None:
                    return variable, tuple(which)
                case Member(of=of, arrow=False):
                    target = of
                case Index(of=of, at=at):
                    which.append(at)
                    target = of
                case Unary(operator="&", operand=of):
                    target = of
                case _:
                    return None, ()
