"""Eight questions at the end of the lesson, each with an answer that explains itself. Nothing is recorded."""

from __future__ import annotations

from typing import NamedTuple


class QuizQuestion(NamedTuple):
    """A question with its choices.

    Attributes:
        question: what is asked.
        choices: what can be answered.
        right: the number of the right one, from 0.
        why: why it is right and the others are not.

    Example:
        >>> from spatialldp.teaching import QUIZ
        >>> len(QUIZ), QUIZ[0].choices[QUIZ[0].right]
        (8, 'On her phone, before anything is sent')
    """

    question: str
    choices: tuple[str, ...]
    right: int
    why: str


QUIZ = (
    QuizQuestion(
        "Where is a person’s location randomised?",
        (
            "On her phone, before anything is sent",
            "On the server, before the map is published",
            "On the way, by encryption",
        ),
        0,
        "The L in LDP stands for local: the phone draws the report, and nobody else ever has the true place. "
        "Encryption hides a report on its way, but whoever may read it reads all of it.",
    ),
    QuizQuestion(
        "A single report names the cell around the station. What do you know?",
        (
            "That she is at the station",
            "Nothing at all",
            "That places near the station are somewhat likelier than before",
        ),
        2,
        "A report shifts what is likely, by a factor of at most e^ε between any two places under LDP. It proves "
        "nothing, as it may come from anywhere; yet it is not worthless, or no map could be made from many of them.",
    ),
    QuizQuestion(
        "What does a larger ε mean?",
        ("Less privacy and a sharper map", "More privacy and a blurrier map", "More people are needed"),
        0,
        "ε is a privacy budget: spending more of it buys accuracy. e^ε is how many times likelier a report may be from "
        "one place than from another.",
    ),
    QuizQuestion(
        "An attacker already knows that nobody lives in the bay. What does ε bound?",
        ("What the attacker knows in all", "What the report adds to it", "Whether the attacker is right"),
        1,
        "No mechanism can take away what somebody knew before. ε bounds by how much a report can change that belief.",
    ),
    QuizQuestion(
        "Which promise says: my neighbours and I can hardly be told apart, but people far apart can?",
        ("LDP", "Geo-I", "Both"),
        1,
        "Under geo-indistinguishability the allowed factor is e^(ε · distance): small next door, large across the "
        "city. LDP sets one limit for all distances.",
    ),
    QuizQuestion(
        "Two mechanisms have the same local privacy. Do they protect equally well?",
        (
            "Yes, that is what the number says",
            "Only if their maps are equally good",
            "By this ruler; by another, one of them may give the right cell away far more often",
        ),
        2,
        "Local privacy is an average distance. A mechanism that names three cells, one of them often the true one, "
        "keeps the average up and still gives people away. Ask what a ruler measures before you trust it.",
    ),
    QuizQuestion(
        "Why can the map of the whole city be good although every report is vague?",
        (
            "Because the server can undo the randomisation of each report",
            "Because most people send the truth",
            "Because chance evens out over many people, and how reports are drawn is known",
        ),
        2,
        "The recovery asks which map would make all reports together likeliest. It tells how many people are in each "
        "place, but still not who they are.",
    ),
    QuizQuestion(
        "She wants to report every day for a month. What hides her cell best?",
        (
            "One stored draw that the phone sends again and again",
            "A fresh draw each day: chance hides her better",
            "Neither: it makes no difference",
        ),
        0,
        "Fresh draws add up: thirty reports at ε spend 30·ε, and their average points to her cell. A stored draw says "
        "the same thing each day, so it spends ε once, as long as she stays at the same place.",
    ),
)
