"""Numbers from the authors' own program (see README.md beside this file)."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def authors() -> dict[str, Any]:
    with gzip.open(Path(__file__).with_name("authors.json.gz"), "rt") as file:
        return json.load(file)
