"""Where the files are that live outside the package: app.py, pages/, .streamlit/ and data/.

A checkout has them once, at its top level, and an editable install reads them there. A wheel carries a copy of them
in spatialldp/_bundled, which setup.py makes while it builds the wheel; the checkout has no such folder.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "_bundled"

#: The folder with app.py, pages/, .streamlit/ and data/.
TOP_LEVEL = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parent
