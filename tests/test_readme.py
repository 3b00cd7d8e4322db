"""What the README prints is what happens."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_as_printed(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    promised = re.search(r"prints `([^`]*)`", README)[1].split()
    assert len(printed) == len(promised)
    for got, said in zip(printed, promised, strict=True):
        try:
            assert float(got) == pytest.approx(float(said), rel=0.02)
        except ValueError:
            assert got == said


def test_every_path_it_names_exists():
    paths = re.findall(r"^\| `([\w./-]+)` ", README, flags=re.MULTILINE) + re.findall(r"\]\(([\w./-]+)\)", README)
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), path


def test_it_gives_the_two_commands_and_the_plain_ones():
    for command in (
        "make run",
        "make test",
        "pip install -r requirements.txt",
        "streamlit run app.py",
        "python -m pytest",
    ):
        assert command in README
