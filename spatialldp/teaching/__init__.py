"""A lesson one can teach: its steps, texts, figures, quiz, worksheets with their key, and a notebook.

The page, the printed sheets and the notebook are made from one `Scene`, the settings of a class, and from the same
texts.
"""

from spatialldp.teaching.findings import Findings
from spatialldp.teaching.notebook import notebook
from spatialldp.teaching.quiz import QUIZ, QuizQuestion
from spatialldp.teaching.scene import Person, Place, Scene
from spatialldp.teaching.worksheet import worksheet

__all__ = ["QUIZ", "Findings", "Person", "Place", "QuizQuestion", "Scene", "notebook", "worksheet"]
