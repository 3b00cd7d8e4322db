"""What the steps of a lesson show in numbers, computed when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.comparison import Score, score
from spatialldp.experiments.comparison_sentences import side_name
from spatialldp.privacy import Conclusion, Risk, risk
from spatialldp.teaching import again, beliefs, losses, ruler, texts
from spatialldp.teaching.scene import REFERENCE, Scene


@dataclass(frozen=True)
class Findings:
    """The figures of a scene.

    Attributes:
        scene: whose they are.
        repeats: how often each mechanism runs in step 5.

    Example:
        >>> from spatialldp.teaching import Findings, Scene
        >>> found = Findings(Scene.of("new-haven", d=4), repeats=1)
        >>> [entry.name for entry in found.city]
        ['DAM', 'SEM-Geo-I', 'Planar Laplace']
    """

    scene: Scene
    repeats: int = defaults.REPEATS

    @cached_property
    def concluded(self) -> dict[str, Conclusion]:
        """Step 2: what the attacker makes of the first report, by mechanism."""
        return beliefs.all_concluded(self.scene)

    @cached_property
    def averages(self) -> dict[str, Risk]:
        """Step 2: an attacker's success over all reports, by mechanism."""
        return {name: risk(mechanism, self.scene.prior) for name, mechanism in self.scene.mechanisms.items()}

    @cached_property
    def losses(self) -> dict[str, losses.Losses]:
        """Step 3: the worst case at every distance, by mechanism."""
        return {name: losses.worst_losses(self.scene, name) for name in self.scene.mechanisms}

    @cached_property
    def ruler(self) -> list[Score]:
        """Step 4: the two mechanisms that fool a ruler."""
        return list(ruler.example_scores(self.scene.example_population, self.scene.seed))

    @cached_property
    def city(self) -> list[Score]:
        """Step 5: every mechanism on everybody, at equal protection."""
        scene = self.scene
        found = [
            score(scene.population.counts, name, scene.epsilon, scene.seed, self.repeats) for name in scene.mechanisms
        ]
        return [
            replace(side, name=f"{entry.name} {side_name(side, entry)}".strip())
            for entry in found
            for side in entry.sides
        ]

    @cached_property
    def again(self) -> again.Again:
        """Step 6: how often the right cell is named after 1, 2, 3 … reports."""
        return again.curve(self.scene.mechanisms[REFERENCE], self.scene.prior, self.scene.seed)

    def text(self, step: int) -> texts.StepText:
        """The words of a step, from 1, with these figures in them.

        Args:
            step: 1 to 6.

        Returns:
            Title, text, formulas, question and answer.

        Raises:
            ValueError: there is no such step.

        Example:
            >>> from spatialldp.teaching import Findings, Scene
            >>> Findings(Scene.of("new-haven", d=4)).text(3).title
            'Loss against distance'
        """
        made = {
            1: lambda: texts.leaves(self.scene),
            2: lambda: texts.concludes(self.scene),
            3: lambda: texts.distance(self.scene),
            4: lambda: texts.ruler(self.scene, self.ruler),
            5: lambda: texts.city(self.scene),
            6: lambda: texts.again(self.scene, self.again),
        }
        return made[validate.whole_number("step", step, 1, texts.STEPS)]()
