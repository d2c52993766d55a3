"""The PNA architecture: PNA_NIC(main parser, pre control, main control, main deparser).

Headers and user metadata have one storage through the pipeline: `hdr.…`, `meta.…`. The pre control has those of the main parser,
which runs before it. The architecture's own structures are intrinsics: `main_input.direction`.
Source: P4 Portable NIC Architecture 0.7, with the pre control of version 0.5, as p4c's dpdk/pna.p4 has it.
"""

from __future__ import annotations

from dataclasses import replace

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures.pna.externs import EXTERNS
from aux_frontend.p4_16.architectures.pna.learning import Wanted
from aux_frontend.p4_16.architectures.portable import properties, structs
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import expressions, layout, pipes, values as va
from aux_frontend.p4_16.elaborate.architecture import TableExterns
from aux_frontend.p4_16.elaborate.pipes import PACKET
from aux_frontend.p4_16.elaborate.scope import ControlObject, PackageObject, ParserObject, Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.architectures.pna.facts import DROPPED, MIRROR_SLOTS, NEXT_PASS, PORT, RECIRCULATED, mirror
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import program_statements
from transpiler.hlir.types import Bits, Bool, Type

_STRUCTS = ("main_parser_input", "pre_input", "pre_output", "main_input", "main_output")
# the package's parameter, role, and what each parameter of the parser or control is
_PIPES: tuple[tuple[str, pr.Role, tuple[str, ...]], ...] = (
    ("main_parser", pr.Role.PARSER, (PACKET, "hdr", "meta", "main_parser_input")),
    ("pre_control", pr.Role.PRE_CONTROL, ("hdr", "meta", "pre_input", "pre_output")),
    ("main_control", pr.Role.MAIN_CONTROL, ("hdr", "meta", "main_input", "main_output")),
    ("main_deparser", pr.Role.DEPARSER, (PACKET, "hdr", "meta", "main_output")),
)
# the last is the profile of entries that packets add without one; add_entry always gives one
_OWN_PROPERTIES = ("add_on_miss", "idle_timeout_with_auto_delete", "default_idle_timeout_for_data_plane_added_entries")
PACKET_LENGTH = "packet_length"  # what packet_in.length() gives
# what the functions of the main control leave
_DECISIONS: dict[str, Type] = {
    DROPPED: Bool(),
    RECIRCULATED: Bool(),
    PORT: Bits(32),
    NEXT_PASS: Bits(3),
    **{mirror(slot): Bits(16) for slot in range(MIRROR_SLOTS)},
}


class Pna:
    """See `architecture.Architecture`."""

    kind = pr.Architecture.PNA
    blocks: tuple[str, ...] = tuple(name for name, _, _ in _PIPES)
    externs = EXTERNS

    def __init__(self) -> None:
        self._roots: dict[str, va.Location] = {}
        self._types: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._role = pr.Role.PARSER
        self.wanted = Wanted()

    # --- pipes -------------------------------------------------------------------------------------------------------

    def elaborate_pipes(self, unit: Unit, main: PackageObject, span: Span) -> tuple[pr.Pipe, ...]:
        """The four blocks in the order in which packets pass them."""
        for name, type_ in {PACKET_LENGTH: Bits(32), **_DECISIONS}.items():
            self._own[name] = unit.add_variable(name, type_, pr.Storage.INTRINSIC, span)
        made: list[pr.Pipe] = []
        for name, role, roots in _PIPES:
            block = main.arguments.get(name)
            if not isinstance(block, ParserObject if role is pr.Role.PARSER else ControlObject):
                kind = "parser" if role is pr.Role.PARSER else "control"
                raise unit.failure(span, f"'{name}' of PNA_NIC is not a {kind}")
            self._role = role
            made.append(pipes.elaborate(unit, block, role, roots, self._storage))
        self.wanted.named(unit)
        return tuple(made)

    def _storage(self, root: str, scope: Scope, parameter: ast.Parameter) -> va.Location:
        type_ = scope.type_ref(parameter.type)
        known = self._roots.get(root)
        if known is None:
            storage = pr.Storage.METADATA if root in ("hdr", "meta") else pr.Storage.INTRINSIC
            known = layout.allocate(scope.unit, root, type_, storage, parameter.span)
            self._roots[root], self._types[root] = known, typeops.show(type_)
        elif typeops.show(type_) != self._types[root]:
            message = f"'{parameter.name}' must be {self._types[root]}, as the main parser's: all blocks share them"
            raise scope.unit.failure(parameter.span, message)
        return known

    # --- what externs.Decisions says ---------------------------------------------------------------------------------

    def inputs(self) -> str:
        return {pr.Role.PRE_CONTROL: "pre_input", pr.Role.MAIN_CONTROL: "main_input"}.get(self._role, "")

    def own(self, name: str, span: Span) -> ex.VariableRef:
        return ex.VariableRef(self._own[name], span)

    def field(self, struct: str, name: str) -> va.ScalarLocation:
        location = self._roots[struct]
        assert isinstance(location, va.StructLocation)
        found = dict(location.fields)[name]
        assert isinstance(found, va.ScalarLocation)
        return found

    # --- the whole program -------------------------------------------------------------------------------------------

    def intrinsics(self, unit: Unit) -> tuple[tuple[str, str], ...]:
        """The fields of the architecture's structures as `main_input.direction`, and its own values."""
        return (*self._own.items(), *structs.intrinsics(_STRUCTS, self._roots))

    def bridges(self, unit: Unit) -> tuple[pr.Bridge, ...]:
        """None: all blocks share one storage."""
        return ()

    def check(self, program: pr.Program, diagnostics: Diagnostics) -> None:
        """The pre control may not ask for decryption: there are no security associations."""
        decrypt = program.intrinsic.get("pre_output.decrypt")
        for statement in program_statements(program):
            match statement:
                case st.Assign(target=ex.VariableRef(name=name), value=value, span=span) if name == decrypt:
                    if not (isinstance(value, ex.Const) and value.value == 0):
                        diagnostics.error(
                            span, "decryption (decrypt) is not supported: no security associations exist here"
                        )

    def finished(self, program: pr.Program) -> pr.Program:
        return program

    def table_externs(self, scope: Scope, table: ast.TableDeclaration, name: str) -> TableExterns:
        """pna_implementation, pna_direct_counter, pna_direct_meter, pna_idle_timeout, add_on_miss, and DPDK's
        idle_timeout_with_auto_delete. PNA 0.7 section 6."""
        found = properties.table_externs(scope, table, name, "pna", _OWN_PROPERTIES)
        notes: list[pr.Annotation] = []
        for property_ in table.properties:
            if property_.name not in _OWN_PROPERTIES:
                continue
            value = expressions.evaluate(scope, property_.value)
            if property_.name == "add_on_miss" and isinstance(value, ex.Const) and value.value:
                notes.append(pr.Annotation(pr.ADD_ON_MISS, "true", property_.span))
                if table.const_entries and table.entries is not None:
                    message = f"packets cannot add entries to '{table.name}', whose entries are constant"
                    raise scope.unit.failure(property_.span, message)
                if found.implementation is not None:
                    message = f"packets cannot add entries to '{table.name}', which has an action profile"
                    raise scope.unit.failure(property_.span, message)
            elif property_.name == "idle_timeout_with_auto_delete" and isinstance(value, ex.Const) and value.value:
                notes.append(pr.Annotation(pr.AUTO_DELETE, "true", property_.span))
        return replace(found, annotations=(*found.annotations, *notes))


PLUG = Pna
