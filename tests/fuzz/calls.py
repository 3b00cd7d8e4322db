"""One call of something public, with arguments that are proper, odd or wrong."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from spatialldp.paper import Setting
from tests.fuzz.arguments import INSTANCES, strategy_of
from tests.fuzz.interface import PROPERTIES, Target
from tests.fuzz.scene import Scene
from tests.fuzz.values import Draw, dressed, nonsense, spoiled

#: Records that people fill in themselves and that check nothing, so that any of their fields may be wrong.
_FILLED_IN_BY_PEOPLE = (Setting,)

#: A number of rounds, draws or processes: what is large here takes long rather than being wrong, so these get
#: numbers that are small, or beyond any reason.
_WORK = {"repeats", "trials", "rows", "n", "max_iterations", "most_people", "workers", "threads", "reports", "margin"}
_TINY_MEANS_LONG = {"relative_error", "tolerance"}


@dataclasses.dataclass
class Call:
    """A call that is about to be made.

    Attributes:
        target: what is called.
        receiver: the object, of a method.
        arguments: by name.
        wrong: names of the arguments that were spoiled.
    """

    target: Target
    receiver: Any
    arguments: dict[str, Any]
    wrong: tuple[str, ...]

    def make(self) -> Any:
        """Call it."""
        if self.target.method == PROPERTIES:
            kind = type(self.receiver)
            names = [name for name in dir(kind) if name[0] != "_" and not callable(getattr(kind, name))]
            return {name: getattr(self.receiver, name) for name in names}
        positional, named = [], {}
        spread = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in self.target.parameters.values())
        for name, parameter in self.target.parameters.items():
            if name not in self.arguments:
                continue
            value = self.arguments[name]
            if spread and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
                positional.append(value)
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional += value
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named |= value
            else:
                named[name] = value
        return self._function(*positional, **named)

    @property
    def _function(self) -> Callable[..., Any]:
        if self.target.owner is None or self.target.is_class_method:
            return self.target.value
        return getattr(self.receiver, self.target.method)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        on = "" if self.receiver is None else f" of {self.receiver!r}"
        return f"{self.target.name}({given}){on}"

    __repr__ = __str__


@st.composite
def calls(draw: Draw, target: Target) -> Call:
    """Calls of something public: a third with proper arguments only, the others with one or several wrong ones."""
    if target.keeps_whatever_it_gets:
        return Call(target, None, {name: draw(nonsense()) for name in target.parameters}, ())
    try:
        scene, arguments = _proper(Scene(draw), target)
    except ValueError:
        # A mechanism may take a budget that its devices turn out to refuse.
        scene, arguments = _proper(Scene(draw, epsilon=2.0), target)
    wrong: tuple[str, ...] = ()
    if target.open and arguments:
        candidates = [name for name in arguments if not made_by_the_library(target, name)]
        arguments |= {name: dressed(draw, arguments[name]) for name in candidates}
        how_many = scene.one_of(0, 1, 1, 2, len(arguments))
        wrong = tuple(draw(st.permutations(candidates))[:how_many])
        for name in wrong:
            arguments[name] = _wrong(draw, target, name, arguments[name])
    return Call(target, scene.receiver, arguments, wrong)


def _proper(scene: Scene, target: Target) -> tuple[Scene, dict[str, Any]]:
    if target.owner is not None and not target.is_class_method:
        scene.receiver = INSTANCES[target.owner](scene)
    return scene, {
        name: strategy_of(target, name)(scene)
        for name, parameter in target.parameters.items()
        if _needed(parameter) or scene.one_of(True, True, False)
    }


def _needed(parameter: inspect.Parameter) -> bool:
    """Whether the call would be another one without it, or take its time: defaults are made for real maps."""
    return parameter.default is inspect.Parameter.empty or parameter.name in _WORK | _TINY_MEANS_LONG


def made_by_the_library(target: Target, name: str) -> bool:
    """Whether a method takes an array that the library has made or checked: its annotation is not `ArrayLike`."""
    annotation = str(target.parameters[name].annotation)
    return (
        target.owner is not None and annotation.startswith(("NDArray", "Array", "Cells")) and "Like" not in annotation
    )


def _wrong(draw: Draw, target: Target, name: str, value: Any) -> Any:
    if target.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
        if not value:
            return {"no_such_setting": 1}
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: spoiled(draw, value[key])}
    if isinstance(value, _FILLED_IN_BY_PEOPLE) and draw(st.booleans()):
        field = draw(st.sampled_from([field.name for field in dataclasses.fields(value)]))
        former = getattr(value, field)
        return dataclasses.replace(value, **{field: bearable(field, former, spoiled(draw, former))})
    return bearable(name, value, spoiled(draw, value))


def bearable(name: str, value: Any, found: Any) -> Any:
    """What is put in the place of an argument's `value`: `found`, or something that does not take for ever."""
    if callable(found) and (callable(value) or name.startswith("on_")):
        return None  # What a function of the caller's own raises is up to the caller.
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        if name in _WORK and 100 < found < 10**25:
            return 10**30
        if name in _TINY_MEANS_LONG and 0 < found < 0.01:
            return 0.5
    return found
