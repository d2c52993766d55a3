"""p4c and p4c-bm2-ss: a P4 program as BMv2's JSON, and its P4Info."""

from __future__ import annotations

import argparse
from importlib.metadata import version
from pathlib import Path

from macsad.shims.options import Parser, fail, note

BACKEND = "p4c-bm2-ss"
_TARGETS = ("bmv2",)
_BACKENDS = ("bmv2", "bmv2-ss-p4org", "bmv2-v1model-p4org")
_INTERNAL = "p4c's own representation is not written"
# what is understood and has no effect → why; -g asks for what the JSON has anyway
_WITHOUT_EFFECT = {
    **dict.fromkeys(("toJSON", "pp", "dump", "top4", "Tlog", "testJson"), _INTERNAL),
    **dict.fromkeys(("Wdisable", "Werror", "Wwarn"), "warnings are what they are"),
    "emit_externs": "extern instances are not written",
    "ndebug": "assertions of the program stay",
}
_SUFFIXES = {"text": ".txtpb", "txt": ".txtpb", "json": ".json", "binary": ".bin"}


def parser(name: str) -> Parser:
    made = Parser(name, "%(prog)s [options] PROGRAM.p4", "Compiles for BMv2's simple_switch (macsad).")
    add = made.add_argument
    add("program", type=Path)
    languages = ["p4-14", "p4-16", "p4_14", "p4_16"]
    add("--std", choices=languages, metavar="p4-14|p4-16", help="the language, where the text leaves doubt")
    add("--p4v", choices=["14", "16"], metavar="14|16", help="likewise")
    add("--arch", default="v1model", metavar="ARCH", help="v1model, the one that there is")
    add("-o", dest="output", type=Path, metavar="PLACE", help="the JSON" if name == BACKEND else "the folder for it")
    add(
        "--p4runtime-files",
        "--p4runtime-file",
        action="append",
        default=[],
        metavar="FILE[,FILE...]",
        help="P4Info; the suffix says the form: .txtpb, .json, .bin",
    )
    add("--p4runtime-format", choices=list(_SUFFIXES), metavar="text|json|binary", help="its form, whatever the suffix")
    add("-I", dest="include", action="append", type=Path, default=[], metavar="DIR", help="search includes there too")
    add("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    add("-v", "--version", action="version", version=f"{name} of macsad {version('macsad')}")
    if name != BACKEND:
        add("-b", "--target", dest="target", default="bmv2", metavar="bmv2", help="bmv2, the one that there is")
        add("-E", dest="preprocess", action="store_true", help="is refused")
    _without_effect(made.add_argument_group("have no effect"))
    return made


def _without_effect(group: argparse._ArgumentGroup) -> None:
    for option in ("-g", "--emit-externs", "--ndebug", "--testJson"):
        group.add_argument(option, action="store_true")
    for option in ("Wdisable", "Werror", "Wwarn"):
        group.add_argument(f"--{option}", nargs="?", const="", action="append", default=[], metavar="NAME")
    for option in ("toJSON", "pp", "dump", "top4", "Tlog"):
        group.add_argument(f"--{option}", metavar="X")


def main(name: str, arguments: list[str]) -> int:
    """0: written; 1: the program is rejected; 2: wrong usage."""
    asked = parser(name).parse_args(arguments)
    if name != BACKEND and asked.target not in (*_TARGETS, *_BACKENDS):
        return fail(name, f"--target {asked.target}: bmv2 is the target that there is", 2)
    if asked.arch != "v1model":
        return fail(name, f"--arch {asked.arch}: BMv2's JSON is written of programs for v1model", 2)
    if getattr(asked, "preprocess", False):
        return fail(name, "-E: what the preprocessor makes is not written", 2)
    for option, why in _WITHOUT_EFFECT.items():
        if getattr(asked, option, None):
            note(name, f"--{option.replace('_', '-')}: {why}")
    if not asked.program.is_file():
        return fail(name, f"{asked.program}: no such file", 2)
    std = asked.std.replace("_", "-") if asked.std else f"p4-{asked.p4v}" if asked.p4v else None
    return _compile(name, asked.program, std, asked.output, asked.p4runtime_files, asked.p4runtime_format, asked)


def _compile(
    name: str, program: Path, std: str | None, output: Path | None, infos: list[str], form: str | None, asked: object
) -> int:
    from macsad import cli

    include: list[Path] = getattr(asked, "include", [])
    words = [str(program), *(["--std", std] if std else [])]
    words += [word for folder in include for word in ("-I", str(folder))]
    words += [word for macro in getattr(asked, "define", []) for word in ("-D", macro)]
    place = output or Path()
    if name != BACKEND or place.is_dir():
        place = place / f"{program.stem}.json"
    files = [Path(file) for listed in infos for file in listed.split(",")]
    return cli.called(lambda: _write(words, place, files, form))


def _write(words: list[str], place: Path, infos: list[Path], form: str | None) -> int:
    """As `macsad build` does it, without the switch. Raises: what the stages of the compiler do."""
    from macsad import compilation
    from macsad.compilation import Request
    from macsad.verbs.check import command as check

    context = check.make_context("p4c", words)
    request = Request.of(context.params)
    hlir = compilation.load(request)
    compilation.write_bmv2_json(request, hlir, place)
    for info in infos:
        compilation.write_p4info(request, hlir, info, _SUFFIXES[form] if form else None)
    return 0
