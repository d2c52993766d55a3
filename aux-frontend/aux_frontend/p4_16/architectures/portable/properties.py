"""The table properties that PSA and PNA share: NAME of psa_NAME and pna_NAME. PSA 1.2, section 7; PNA 0.7, section 6."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures import direct
from aux_frontend.p4_16.elaborate import names
from aux_frontend.p4_16.elaborate.architecture import TableExterns
from aux_frontend.p4_16.elaborate.extern_calls import extern_of_table
from aux_frontend.p4_16.elaborate.scope import Scope
from transpiler.diagnostics import Span
from transpiler.hlir import program as pr

_LANGUAGE_PROPERTIES = ("size", "largest_priority_wins", "priority_delta")


def objects(prefix: str) -> direct.Properties:
    """Those that name objects, for the checker."""
    return direct.Properties(
        direct={f"{prefix}_direct_counter": ("DirectCounter",), f"{prefix}_direct_meter": ("DirectMeter",)},
        shared={f"{prefix}_implementation": ("ActionProfile", "ActionSelector")},
    )


def _flag(name: str, value: bool, span: Span) -> pr.Annotation:
    return pr.Annotation(name, str(value).lower(), span)


def table_externs(
    scope: Scope, table: ast.TableDeclaration, name: str, prefix: str, own: tuple[str, ...] = ()
) -> TableExterns:
    """implementation, direct_counter, direct_meter, idle_timeout. `own`: properties that the architecture reads itself."""
    implementation: str | None = None
    direct_objects: list[str] = []
    annotations: list[pr.Annotation] = []
    for property_ in table.properties:
        value = property_.value
        match property_.name.removeprefix(f"{prefix}_") if property_.name.startswith(f"{prefix}_") else None:
            case "implementation":
                implementation = extern_of_table(scope, property_, ("action_profile", "action_selector"), name)
            case "direct_counter":
                direct_objects.append(extern_of_table(scope, property_, ("direct_counter",), name))
            case "direct_meter":
                direct_objects.append(extern_of_table(scope, property_, ("direct_meter",), name))
            case "idle_timeout":
                asked = names.written(scope.unit, value).rpartition(".")[2]
                annotations.append(_flag(pr.SUPPORT_TIMEOUT, asked == "NOTIFY_CONTROL", property_.span))
                if asked == "AUTO_DELETE":
                    annotations.append(_flag(pr.AUTO_DELETE, True, property_.span))
            case "empty_group_action":
                raise scope.unit.failure(property_.span, "an action for empty groups is not supported")
            case _ if property_.name not in (*_LANGUAGE_PROPERTIES, *own):
                scope.unit.diagnostics.warning(
                    property_.span, "property", f"table property '{property_.name}' means nothing on {prefix.upper()}"
                )
    return TableExterns(implementation, tuple(direct_objects), tuple(annotations))
