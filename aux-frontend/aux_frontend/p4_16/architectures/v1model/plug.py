"""The v1model architecture: V1Switch(parser, verify checksum, ingress, egress, compute checksum, deparser).

Its meaning is that of BMv2's simple_switch, as the behavioral-model's docs/simple_switch.md tells it. Headers, user
metadata and standard metadata have one storage through the whole pipeline: `hdr.…`, `meta.…`, `standard_metadata.…`.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures.v1model.externs import EXTERNS
from aux_frontend.p4_16.architectures.v1model.packet import note_field_lists
from aux_frontend.p4_16.elaborate import (
    layout,
    names,
    pipes,
    values as va,
)
from aux_frontend.p4_16.elaborate.architecture import TableExterns
from aux_frontend.p4_16.elaborate.extern_calls import extern_of_table
from aux_frontend.p4_16.elaborate.scope import ControlObject, PackageObject, ParserObject, Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from aux_frontend.v1model.lengths import with_lengths
from aux_frontend.v1model.requests import check_requests
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import expressions as ex, program as pr

STANDARD = "standard_metadata"
# package parameter → role, and what each parameter of the parser or control is: packet, hdr, meta, standard metadata
_PIPES = (
    ("p", pr.Role.PARSER, ("packet", "hdr", "meta", STANDARD)),
    ("vr", pr.Role.VERIFY_CHECKSUM, ("hdr", "meta")),
    ("ig", pr.Role.INGRESS, ("hdr", "meta", STANDARD)),
    ("eg", pr.Role.EGRESS, ("hdr", "meta", STANDARD)),
    ("ck", pr.Role.COMPUTE_CHECKSUM, ("hdr", "meta")),
    ("dep", pr.Role.DEPARSER, ("packet", "hdr")),
)
_LANGUAGE_PROPERTIES = ("size", "largest_priority_wins", "priority_delta")


class V1Model:
    """See `architecture.Architecture`."""

    kind = pr.Architecture.V1MODEL
    blocks: tuple[str, ...] = tuple(name for name, _, _ in _PIPES)
    externs = EXTERNS

    def __init__(self) -> None:
        self._roots: dict[str, va.Location] = {}

    # --- pipes -------------------------------------------------------------------------------------------------------

    def elaborate_pipes(self, unit: Unit, main: PackageObject, span: Span) -> tuple[pr.Pipe, ...]:
        """Storage first, then the six blocks in the order in which packets pass them."""
        self._make_storage(unit, main, span)
        made: list[pr.Pipe] = []
        for name, role, roots in _PIPES:
            block = main.arguments.get(name)
            if not isinstance(block, ParserObject if role is pr.Role.PARSER else ControlObject):
                raise unit.failure(span, f"'{name}' of V1Switch is not a {'parser' if name == 'p' else 'control'}")
            made.append(pipes.elaborate(unit, block, role, roots, lambda root, *_: self._roots[root]))
        return tuple(made)

    def _make_storage(self, unit: Unit, main: PackageObject, span: Span) -> None:
        parser = main.arguments.get("p")
        if not isinstance(parser, ParserObject) or len(parser.declaration.parameters) != 4:
            raise unit.failure(span, "'p' of V1Switch is not a parser of headers, metadata and standard metadata")
        scope = parser.constructor_scope
        kinds = (pr.Storage.METADATA, pr.Storage.METADATA, pr.Storage.INTRINSIC)
        for root, parameter, storage in zip(
            ("hdr", "meta", STANDARD), parser.declaration.parameters[1:], kinds, strict=True
        ):
            type_ = scope.type_ref(parameter.type)
            self._roots[root] = layout.allocate(unit, root, type_, storage, parameter.span)
            if root == "meta":
                note_field_lists(unit, type_, self._roots[root])

    def bridges(self, unit: Unit) -> tuple[pr.Bridge, ...]:
        """None: all pipes share one storage."""
        return ()

    def intrinsics(self, unit: Unit) -> tuple[tuple[str, str], ...]:
        """The fields of standard_metadata_t under their own names."""
        standard = self._roots.get(STANDARD)
        if not isinstance(standard, va.StructLocation):
            return ()
        return tuple(
            (name, field.place.name)
            for name, field in standard.fields
            if isinstance(field, va.ScalarLocation) and isinstance(field.place, ex.VariableRef)
        )

    def check(self, program: pr.Program, diagnostics: Diagnostics) -> None:
        check_requests(program, diagnostics)

    def finished(self, program: pr.Program) -> pr.Program:
        return with_lengths(program)

    # --- table properties --------------------------------------------------------------------------------------------

    def table_externs(self, scope: Scope, table: ast.TableDeclaration, name: str) -> TableExterns:
        """implementation, counters, meters, support_timeout (and the older spelling idle_timeout)."""
        implementation: str | None = None
        direct: list[str] = []
        annotations: list[pr.Annotation] = []
        for property_ in table.properties:
            match property_.name:
                case "implementation":
                    kinds = ("action_profile", "action_selector")
                    implementation = extern_of_table(scope, property_, kinds, name)
                case "counters":
                    direct.append(extern_of_table(scope, property_, ("direct_counter",), name))
                case "meters":
                    direct.append(extern_of_table(scope, property_, ("direct_meter",), name))
                case "support_timeout" | "idle_timeout":
                    value = names.written(scope.unit, property_.value)
                    annotations.append(pr.Annotation(pr.SUPPORT_TIMEOUT, value, property_.span))
                case other if other not in _LANGUAGE_PROPERTIES:
                    scope.unit.diagnostics.warning(
                        property_.span, "property", f"table property '{other}' means nothing on v1model"
                    )
        return TableExterns(implementation, tuple(direct), tuple(annotations))


PLUG = V1Model
