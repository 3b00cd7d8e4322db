"""Deliberate mistakes in the package, each a small patch, and a command that shows which test notices each of them.

python -m tests.mutants                 every mistake
python -m tests.mutants no-clip         one, or several, by name
python -m tests.mutants --list          their names and what each does wrong
"""
