"""Everything public that can be called, found from the modules themselves: what is added later is in it by itself.

The names are those of the API reference (`docs.build_reference`) and of `tests.public_interface`. Of a class they are
its constructor, each public method and, in one go, its properties. Exceptions and classes that only prescribe methods
are left out; classes that have the methods are in.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cached_property
from types import ModuleType
from typing import Any

from docs.build_reference import public_modules
from tests.public_interface import PUBLIC_IN_MODULES, PUBLIC_PACKAGES

PROPERTIES = "(properties)"


@dataclasses.dataclass(frozen=True)
class Target:
    """Something that can be called.

    Attributes:
        name: where a reader finds it, such as "spatialldp.DAM.perturb".
        value: the function or class.
        owner: the class of a method, otherwise None.
        method: the name of the method, or `PROPERTIES`; empty for a function or a constructor.
        open: whether it is part of the public interface proper, which must answer whatever it is given. What else the
            reference shows (operators, tables, drawing, …) is called by the library with what it has checked before.
    """

    name: str
    value: Any
    owner: type | None = None
    method: str = ""
    open: bool = True

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """By name, without the object or class itself."""
        if self.method == PROPERTIES:
            return {}
        bound = self.is_class_method or self.owner is None
        found = dict(inspect.signature(self.value).parameters)
        return found if bound else dict(list(found.items())[1:])

    @property
    def is_class_method(self) -> bool:
        """Whether it is called on a class."""
        return isinstance(inspect.getattr_static(self.owner, self.method, None), (classmethod, staticmethod))

    @property
    def keeps_whatever_it_gets(self) -> bool:
        """Whether it is the constructor of a record, which checks nothing because the library fills it in."""
        return self.owner is None and is_record(self.value) and not hasattr(self.value, "__post_init__")

    @property
    def short_name(self) -> str:
        """Without its module."""
        at = 2 if self.owner is not None else 1
        return ".".join(self.name.split(".")[-at:])


def targets() -> dict[str, Target]:
    """All of them, by name."""
    return {target.name: target for target in _targets()}


def _targets() -> Iterator[Target]:
    seen: list[Any] = []
    inner = {value for _, _, value in _public_values()}
    for module, name, value in [*_public_values(), *_shown_values()]:
        if any(value is other for other in seen):
            continue
        seen.append(value)
        full, front = f"{module}.{name}", value in inner
        if not inspect.isclass(value):
            yield Target(full, value, open=front)
        elif not issubclass(value, BaseException) and not _prescribes(value):
            yield Target(full, value, open=front)
            yield from _methods(full, value, front)


def _methods(full: str, kind: type, front: bool) -> Iterator[Target]:
    properties = False
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_"):
            continue
        if isinstance(value, (property, cached_property)):
            properties = True
        elif isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value):
            called = getattr(kind, name)
            if called.__module__.startswith("spatialldp"):
                yield Target(f"{full}.{name}", called, kind, name, front)
    if properties:
        yield Target(f"{full} {PROPERTIES}", kind, kind, PROPERTIES, front)


def _public_values() -> list[tuple[str, str, Any]]:
    names = {package: importlib.import_module(package).__all__ for package in PUBLIC_PACKAGES} | PUBLIC_IN_MODULES
    found = [
        (module, name, getattr(importlib.import_module(module), name)) for module in names for name in names[module]
    ]
    return [entry for entry in found if inspect.isclass(entry[2]) or inspect.isfunction(entry[2])]


def _shown_values() -> Iterator[tuple[str, str, Any]]:
    for name in public_modules():
        yield from _shown_in(importlib.import_module(name))


def _shown_in(module: ModuleType) -> Iterator[tuple[str, str, Any]]:
    """What pdoc shows of a module: what `__all__` says, or else what it defines, and so for the modules in it."""
    if hasattr(module, "__all__"):
        return
    for name, value in vars(module).items():
        own = name[0] != "_" and getattr(value, "__module__", None) == module.__name__
        if own and (inspect.isclass(value) or inspect.isfunction(value)):
            yield module.__name__, name, value
    for below in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if below.name[0] != "_":
            yield from _shown_in(importlib.import_module(f"{module.__name__}.{below.name}"))


def is_record(value: Any) -> bool:
    """Whether a class is a dataclass or a NamedTuple."""
    return dataclasses.is_dataclass(value) or (inspect.isclass(value) and hasattr(value, "_fields"))


def _prescribes(kind: type) -> bool:
    return inspect.isabstract(kind) or getattr(kind, "_is_protocol", False)
