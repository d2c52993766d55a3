"""The PSA architecture: PSA_Switch(ingress pipeline, replication engine, egress pipeline, queueing engine).

A pipeline is a parser, a control and a deparser with headers and user metadata of their own: `ingress.hdr…`,
`egress.meta…`. What goes from one pipeline to the next beside the packet is a bridge of HLIR, one for each path; the
architecture's own structures are intrinsics: `ingress_output.drop`.
Source: P4-16 Portable Switch Architecture 1.2, section 6.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures.portable import properties, structs
from aux_frontend.p4_16.architectures.psa.externs import EXTERNS
from aux_frontend.p4_16.elaborate import layout, pipes, values as va
from aux_frontend.p4_16.elaborate.architecture import TableExterns
from aux_frontend.p4_16.elaborate.pipes import PACKET
from aux_frontend.p4_16.elaborate.scope import ControlObject, PackageObject, ParserObject, Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import program as pr
from transpiler.hlir.types import Bits

# storage of a path's bridge → the path
_BRIDGES = {
    "normal_meta": "normal",
    "clone_i2e_meta": "clone_i2e",
    "clone_e2e_meta": "clone_e2e",
    "resubmit_meta": "resubmit",
    "recirculate_meta": "recirculate",
}
_STRUCTS = (
    "ingress_parser_input",
    "ingress_input",
    "ingress_output",
    "egress_parser_input",
    "egress_input",
    "egress_output",
    "egress_deparser_input",
)
_INGRESS, _EGRESS = ("ingress.hdr", "ingress.meta"), ("egress.hdr", "egress.meta")
# pipeline, its package's parameter, role, and what each parameter of the parser or control is
_PIPES: tuple[tuple[str, str, pr.Role, tuple[str, ...]], ...] = (
    (
        "ingress",
        "ip",
        pr.Role.PARSER,
        (PACKET, *_INGRESS, "ingress_parser_input", "resubmit_meta", "recirculate_meta"),
    ),
    ("ingress", "ig", pr.Role.INGRESS, (*_INGRESS, "ingress_input", "ingress_output")),
    (
        "ingress",
        "id",
        pr.Role.INGRESS_DEPARSER,
        (PACKET, "clone_i2e_meta", "resubmit_meta", "normal_meta", *_INGRESS, "ingress_output"),
    ),
    (
        "egress",
        "ep",
        pr.Role.EGRESS_PARSER,
        (PACKET, *_EGRESS, "egress_parser_input", "normal_meta", "clone_i2e_meta", "clone_e2e_meta"),
    ),
    ("egress", "eg", pr.Role.EGRESS, (*_EGRESS, "egress_input", "egress_output")),
    (
        "egress",
        "ed",
        pr.Role.DEPARSER,
        (PACKET, "clone_e2e_meta", "recirculate_meta", *_EGRESS, "egress_output", "egress_deparser_input"),
    ),
)
PACKET_LENGTH = "packet_length"  # what packet_in.length() gives


class Psa:
    """See `architecture.Architecture`."""

    kind = pr.Architecture.PSA
    blocks: tuple[str, ...] = ("ingress", "pre", "egress", "bqe")
    externs = EXTERNS

    def __init__(self) -> None:
        self._roots: dict[str, va.Location] = {}
        self._spans: dict[str, Span] = {}
        self._length = ""

    # --- pipes -------------------------------------------------------------------------------------------------------

    def elaborate_pipes(self, unit: Unit, main: PackageObject, span: Span) -> tuple[pr.Pipe, ...]:
        """The six blocks in the order in which packets pass them."""
        self._length = unit.add_variable(PACKET_LENGTH, Bits(32), pr.Storage.INTRINSIC, span)
        made: list[pr.Pipe] = []
        for pipeline, name, role, roots in _PIPES:
            package = main.arguments.get(pipeline)
            block = package.arguments.get(name) if isinstance(package, PackageObject) else None
            wanted = ParserObject if role in (pr.Role.PARSER, pr.Role.EGRESS_PARSER) else ControlObject
            if not isinstance(block, wanted):
                kind = "parser" if wanted is ParserObject else "control"
                raise unit.failure(span, f"'{name}' of the {pipeline} pipeline is not a {kind}")
            made.append(pipes.elaborate(unit, block, role, roots, self._storage))
        return tuple(made)

    def _storage(self, root: str, scope: Scope, parameter: ast.Parameter) -> va.Location:
        known = self._roots.get(root)
        if known is None:
            storage = pr.Storage.METADATA if root in (*_INGRESS, *_EGRESS) else pr.Storage.INTRINSIC
            known = layout.allocate(scope.unit, root, scope.type_ref(parameter.type), storage, parameter.span)
            self._roots[root], self._spans[root] = known, parameter.span
        return known

    def intrinsics(self, unit: Unit) -> tuple[tuple[str, str], ...]:
        """The fields of the architecture's structures as `ingress_input.ingress_port`, and the packet's length."""
        return ((PACKET_LENGTH, self._length), *structs.intrinsics(_STRUCTS, self._roots))

    def bridges(self, unit: Unit) -> tuple[pr.Bridge, ...]:
        """What goes along on each path; paths that carry nothing have none."""
        made: list[pr.Bridge] = []
        for root, path in _BRIDGES.items():
            location = self._roots.get(root)
            if location is not None:
                span = self._spans[root]
                variables = tuple(pipes.variables(location))
                headers = tuple(pipes.headers(location, span))
                if variables or headers:
                    made.append(pr.Bridge(path, variables, headers, span))
        return tuple(made)

    def check(self, program: pr.Program, diagnostics: Diagnostics) -> None:
        """Nothing: what PSA asks for is the checker's."""

    def finished(self, program: pr.Program) -> pr.Program:
        return program

    def table_externs(self, scope: Scope, table: ast.TableDeclaration, name: str) -> TableExterns:
        """psa_implementation, psa_direct_counter, psa_direct_meter, psa_idle_timeout. PSA 1.2 section 7."""
        return properties.table_externs(scope, table, name, "psa")


PLUG = Psa
