"""Packaging: the Python packages, the described messages of P4Runtime, and templates and C sources as data inside
`macsad/share`."""

from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SHARED = ("templates", "aux-backend", "apps", "bench")
LEFT_OUT = {"__pycache__", "build"}
# A package's folder proto/ → the file in the package that describes its messages: transpiler/p4info/messages.py.
DESCRIBED = {"transpiler/p4info": "p4info.binpb", "macsad/p4runtime": "p4runtime.binpb"}


def describe(target: Path) -> None:
    """Write the serialised FileDescriptorSet of each folder of .proto files below `target`."""
    import grpc_tools
    from grpc_tools import protoc

    paths = [
        *(str(ROOT / package / "proto") for package in DESCRIBED),
        str(Path(grpc_tools.__file__).parent / "_proto"),
    ]
    for package, name in DESCRIBED.items():
        made = target / package / name
        made.parent.mkdir(parents=True, exist_ok=True)
        folder = ROOT / package / "proto"
        files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.proto"))
        if protoc.main(["protoc", *(f"-I{path}" for path in paths), f"--descriptor_set_out={made}", *files]):
            raise SystemExit(f"protoc refuses the files of {folder}")


class BuildWithData(build_py):
    """Makes the descriptions of messages, and copies what the installed command reads at run time next to its package: see
    macsad/resources.py."""

    def run(self) -> None:
        super().run()
        describe(ROOT if self.editable_mode else Path(self.build_lib))
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "macsad" / "share"
        for folder in SHARED:
            for source in sorted((ROOT / folder).rglob("*")):
                if source.is_file() and not LEFT_OUT & set(source.parts):
                    place = target / source.relative_to(ROOT)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    self.copy_file(str(source), str(place))


setup(
    packages=find_packages(include=["macsad", "macsad.*", "transpiler", "transpiler.*"])
    + find_packages("aux-frontend", include=["aux_frontend", "aux_frontend.*"]),
    package_dir={"aux_frontend": "aux-frontend/aux_frontend"},
    package_data={
        "aux_frontend": ["p4include/*", "p4include/*/*"],
        "transpiler.targets": ["*/*.toml", "*/templates/**/*", "*/tables/**/*"],
        "transpiler.p4info": ["proto/**/*.proto"],
        "macsad.p4runtime": ["proto/**/*.proto"],
        "macsad.thrift": ["idl/*.thrift"],
        "macsad.shims": ["no_program.p4"],
    },
    cmdclass={"build_py": BuildWithData},
)
