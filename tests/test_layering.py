"""The library stands without the app: only spatialldp/dashboard knows Streamlit."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_importing_the_library_does_not_load_streamlit():
    code = "import sys, spatialldp; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_only_the_dashboard_imports_streamlit():
    for file in (ROOT / "spatialldp").rglob("*.py"):
        if "dashboard" not in file.parts:
            text = file.read_text(encoding="utf-8")
            assert "import streamlit" not in text, file
            assert "from streamlit" not in text, file


def test_nothing_reads_global_random_state():
    for file in (ROOT / "spatialldp").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for legacy in (r"np\.random\.(seed|rand|choice)", r"\b(import|from) random\b"):
            assert not re.search(legacy, text), (file, legacy)
