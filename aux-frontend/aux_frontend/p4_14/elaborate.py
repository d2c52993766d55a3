"""From declarations to an HLIR program. Checking and elaborating are one walk: what has no meaning is reported on the way.

Everything that the program declares is looked at, also what nothing uses.
"""

from __future__ import annotations

from aux_frontend.p4_14 import ast, static_objects
from aux_frontend.p4_14.actions import Actions
from aux_frontend.p4_14.builder import ERRORS, Builder, number
from aux_frontend.p4_14.checksums import Checksums
from aux_frontend.p4_14.controls import END, Controls
from aux_frontend.p4_14.field_lists import FieldLists
from aux_frontend.p4_14.intrinsics import CHECKSUM_EXCEPTION, DEFAULT_EXCEPTION, STANDARD_EXCEPTIONS
from aux_frontend.p4_14.parser_graph import deparser_order
from aux_frontend.p4_14.parser_states import DROP, ENTRY, FLAG, ParserStates
from aux_frontend.p4_14.primitives import Primitives
from aux_frontend.p4_14.scope import Scope, collect
from aux_frontend.p4_14.stateful import StatefulObjects
from aux_frontend.p4_14.tables import Tables
from aux_frontend.p4_14.values import Values
from aux_frontend.p4_14.widths import ParameterWidths
from aux_frontend.v1model.intrinsics import STANDARD
from aux_frontend.v1model.lengths import with_lengths
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Bits, Bool

EGRESS = "egress"
Unsupported = list[tuple[Span, str]]


def elaborate(
    declarations: tuple[ast.Declaration, ...], name: str, file: str, diagnostics: Diagnostics
) -> tuple[pr.Program, Unsupported]:
    """The program, of use only when no error was reported; and what the language has but no target of ours."""
    return _Elaborator(collect(declarations, diagnostics), name, file).program()


class _Elaborator:
    def __init__(self, scope: Scope, name: str, file: str) -> None:
        self.scope = scope
        self.name = name
        self.file = file
        self.builder = Builder(scope)
        self.values = Values(self.builder)
        self.lists = FieldLists(self.values)
        self.builder.declare_metadata()
        self.objects = StatefulObjects(self.values)
        self.primitives = Primitives(self.values, self.lists, self.objects)
        widths = ParameterWidths(scope, self.objects)
        self.actions = Actions(self.values, self.primitives, widths)
        self.tables = Tables(self.values, self.lists, self.objects, self.actions)
        self.controls = Controls(self.values, self.tables, self.actions)
        self.checksums = Checksums(self.values, self.lists)
        self.states = ParserStates(self.values, self.primitives)
        self.span = Span(file, 1, 1)

    def program(self) -> tuple[pr.Program, Unsupported]:
        self._check_externs()
        self.tables.elaborate()
        used = dict(self.actions.table_actions)
        self._check_rest()
        parser = self.states.elaborate(self.file)
        verify, update = self.checksums.bodies()
        ingress = self._ingress()
        egress = self.controls.body(EGRESS) if EGRESS not in self.states.entries else ()
        pipes: tuple[pr.Pipe, ...] = (
            parser,
            self._control("verify_checksum", pr.Role.VERIFY_CHECKSUM, verify),
            self._control("ingress", pr.Role.INGRESS, ingress),
            self._control(EGRESS, pr.Role.EGRESS, egress),
            self._control("compute_checksum", pr.Role.COMPUTE_CHECKSUM, update),
            self._control("deparser", pr.Role.DEPARSER, self._deparser()),
        )
        header_types, headers, stacks = self.builder.headers()
        value_sets = self.states.selects.value_sets
        program = pr.Program(
            name=self.name,
            architecture=pr.Architecture.V1MODEL,
            header_types=header_types,
            headers=headers,
            stacks=stacks,
            variables=tuple(self.builder.variables.values()),
            externs=tuple(self.builder.externs.values()),
            value_sets=tuple(value_sets[name] for name in self.scope.value_sets if name in value_sets),
            actions=tuple(used.values()),
            tables=tuple(self.tables.tables.values()),
            pipes=pipes,
            intrinsics=tuple(self.builder.intrinsics.items()),
            errors=ERRORS,
            span=self.span,
        )
        return with_lengths(program), self.builder.unsupported

    def _control(self, name: str, role: pr.Role, body: st.Body) -> pr.Control:
        declaration = self.scope.controls.get(name)
        span = declaration.name.span if declaration is not None else self.span
        if any(isinstance(statement, st.Leave) for statement in walk(body)):
            body = (st.Block(END, body, span),)
        return pr.Control(name, role, body, span)

    def _check_externs(self) -> None:
        for instance in self.scope.externs.values():
            type_ = self.scope.find(self.scope.extern_types, instance.type, "extern type")
            if type_ is None:
                continue
            known = {attribute.text for attribute in type_.attributes}
            for attribute in instance.attributes:
                if attribute.text not in known:
                    self.scope.error(attribute.span, f"'{attribute.text}' is not an attribute of {type_.name.text}")

    def _check_rest(self) -> None:
        """What no table and no control that runs has led to."""
        static_objects.check(self.scope)
        self.tables.check_rest()
        self.actions.check_rest()
        self.checksums.check_rest()
        for name in self.scope.controls:
            self.controls.body(name)

    # --- ingress -----------------------------------------------------------------------------------------------------

    def _ingress(self) -> st.Body:
        """The control functions that the parser leads to, after what the parser left to be done here."""
        entries = self.states.entries
        body: st.Body = ()
        if len(entries) == 1:
            body = self.controls.body(entries[0])
        elif entries:
            cases = tuple(st.SwitchCase((i,), self.controls.body(name), self.span) for i, name in enumerate(entries))
            subject = ex.Read(ex.VariableRef(ENTRY, self.span), Bits(16), self.span)
            body = (st.Switch(subject, cases, (), self.span),) if ENTRY in self.builder.variables else ()
        handlers = self._exception_handlers()
        if DROP in self.builder.variables:
            dropped = ex.Read(ex.VariableRef(DROP, self.span), FLAG, self.span)
            condition = ex.Binary(ex.BinaryOp.EQ, dropped, number(1, FLAG, self.span), Bool(), self.span)
            body = (st.If(condition, self.primitives.drop(self.span), body, self.span),)
        return (*self._parser_status(), *handlers, *body)

    def _parser_status(self) -> st.Body:
        """standard_metadata.parser_status as a number: 0 for no error, else the place in the list of errors."""
        name = f"{STANDARD}.parser_status"
        if name not in self.builder.variables:
            return ()
        place, type_ = ex.VariableRef(name, self.span), Bits(8)
        cases = tuple(
            st.SwitchCase((i,), (st.Assign(place, number(i, type_, self.span), self.span),), self.span)
            for i in range(1, len(ERRORS.members))
        )
        return (st.Switch(self._parser_error(), cases, (), self.span),)

    def _parser_error(self) -> ex.Expression:
        return ex.Read(self.builder.intrinsic("parser_error", ERRORS, self.span), ERRORS, self.span)

    def _exception_handlers(self) -> st.Body:
        """Handlers of the standard exceptions that extraction raises, where the program has them (section 4.6)."""
        body: list[st.Statement] = []
        cases: dict[int, st.Body] = {}
        for exception, error in STANDARD_EXCEPTIONS.items():
            if exception in self.scope.exceptions:
                handler = self._handler(self.scope.exceptions[exception])
                cases.setdefault(ERRORS.members.index(error), handler)
        default: st.Body = ()
        if DEFAULT_EXCEPTION in self.scope.exceptions:
            default = self._handler(self.scope.exceptions[DEFAULT_EXCEPTION])
        if cases or default:
            no_error = st.SwitchCase((0,), (), self.span)
            found = tuple(st.SwitchCase((value,), handler, self.span) for value, handler in cases.items())
            body.append(st.Switch(self._parser_error(), (no_error, *found), default, self.span))
        if CHECKSUM_EXCEPTION in self.scope.exceptions:
            flag = self.builder.intrinsic("checksum_error", FLAG, self.span)
            wrong = ex.Binary(
                ex.BinaryOp.EQ, ex.Read(flag, FLAG, self.span), number(1, FLAG, self.span), Bool(), self.span
            )
            handler = self._handler(self.scope.exceptions[CHECKSUM_EXCEPTION])
            body.append(st.If(wrong, handler, (), self.span))
        return tuple(body)

    def _handler(self, declaration: ast.ParserState) -> st.Body:
        """A handler's assignments, then its way: on to the control function, or the packet is dropped."""
        body = self.states.exception_body(declaration)
        leave = declaration.exit
        span = declaration.name.span
        if isinstance(leave, ast.Go) and leave.drop:
            place = self.builder.shared(DROP, FLAG, pr.Storage.METADATA, span)
            body += (st.Assign(place, number(1, FLAG, span), span),)
        elif isinstance(leave, ast.Go) and len(self.states.entries) > 1 and leave.target.text in self.states.entries:
            place = self.builder.shared(ENTRY, Bits(16), pr.Storage.METADATA, span)
            value = number(self.states.entries.index(leave.target.text), Bits(16), span)
            body += (st.Assign(place, value, span),)
        return body

    # --- deparser ----------------------------------------------------------------------------------------------------

    def _deparser(self) -> st.Body:
        body: list[st.Statement] = []
        order = deparser_order(self.scope)
        for name, span in self.primitives.made_valid.items():
            if name not in order:
                self.scope.diagnostics.warning(
                    span,
                    "never-deparsed",
                    f"no parser state extracts '{name}', so it has no place in the packet to be sent",
                )
        for name in order:
            instance = self.scope.headers[name]
            if instance.size is None:
                body.append(st.Emit(ex.HeaderRef(name, instance.span), instance.span))
                continue
            for index in range(instance.size):
                body.append(st.Emit(ex.HeaderRef(f"{name}[{index}]", instance.span), instance.span))
        return tuple(body)
