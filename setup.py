"""What pyproject.toml cannot say: a wheel also carries the app, its pages and the embedded data.

They stay where they are, at the top level; only the wheel holds a copy, in spatialldp/_bundled, where
spatialldp/_top_level.py looks for them.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PACKAGE = "spatialldp"
BUNDLED = (
    "app.py",
    "pages/*.py",
    ".streamlit/config.toml",
    "data/README.md",
    "data/points/*.parquet",
    "data/outlines/*.geojson",
    "data/licences/*.txt",
)


class BuildWithTopLevel(build_py):
    """Builds the package, then adds the files of the top level to it; an editable install reads them in place."""

    def run(self) -> None:
        if not self.editable_mode:
            # What an earlier build left here would end up in the wheel, modules that are long gone included.
            shutil.rmtree(Path(self.build_lib, PACKAGE), ignore_errors=True)
        super().run()
        for source, target in self._bundled().items():
            self.mkpath(str(Path(target).parent))
            self.copy_file(source, target, preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *self._bundled().values()]

    def _bundled(self) -> dict[str, str]:
        """File of the top level → its copy in the built package."""
        if self.editable_mode:
            return {}
        copies: dict[str, str] = {}
        for pattern in BUNDLED:
            found = sorted(Path().glob(pattern))
            if not found:
                raise FileNotFoundError(
                    f"{pattern} is missing: a wheel without it would not work where it is installed"
                )
            copies |= {str(file): str(Path(self.build_lib, PACKAGE, "_bundled", file)) for file in found}
        return copies


setup(cmdclass={"build_py": BuildWithTopLevel})
