"""Write the API reference into docs/api from the docstrings: `make docs`, or `python -m docs.build_reference [FOLDER]`.

The folder is made anew each time and is not under version control; docs/api/index.html is the page to open. Neither
the build nor the pages need a network. What pdoc only warns about (a module that cannot be imported, an annotation
that names nothing) ends the build.
"""

from __future__ import annotations

import pkgutil
import shutil
import sys
import warnings
from pathlib import Path

import pdoc
import pdoc.render

import spatialldp

FOLDER = Path(__file__).with_name("api")

#: They have users, but nobody calls them: one has `--help`, the other is in the browser.
_NOT_CALLED = ("cli", "dashboard")


def public_modules() -> list[str]:
    """The package and the public modules and packages right below it.

    A package with `__all__` is one page; of one without, pdoc shows every module.
    """
    below = sorted(module.name for module in pkgutil.iter_modules(spatialldp.__path__))
    return ["spatialldp", *(f"spatialldp.{name}" for name in below if name[0] != "_" and name not in _NOT_CALLED)]


def main(folder: Path = FOLDER) -> None:
    """Write the reference into a folder, in place of what is there, and say where it is."""
    warnings.simplefilter("error")
    # pdoc looks for the annotations of a NamedTuple's constructor in a module that does not exist.
    warnings.filterwarnings("ignore", r"Error parsing type annotation .* for \S+\.__init__\. Import of")
    shutil.rmtree(folder, ignore_errors=True)
    pdoc.render.configure(docformat="google", footer_text=f"spatialldp {spatialldp.__version__}")
    pdoc.pdoc(*public_modules(), output_directory=folder)
    print(f"wrote {folder / 'index.html'}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
