"""Packaging: the Python packages, and templates and C sources as data inside `macsad/share`."""

from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SHARED = ("templates", "aux-backend", "apps", "bench")
LEFT_OUT = {"__pycache__", "build"}


class BuildWithShare(build_py):
    """Copies what the installed command reads at run time next to its package: see macsad/resources.py."""

    def run(self) -> None:
        super().run()
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
    },
    cmdclass={"build_py": BuildWithShare},
)
