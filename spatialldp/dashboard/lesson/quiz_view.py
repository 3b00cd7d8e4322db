"""The quiz at the end of the lesson: eight questions, an explained answer to each, and nothing is recorded."""

from __future__ import annotations

import streamlit as st

from spatialldp.teaching.quiz import QUIZ


def quiz() -> None:
    """All questions; an answer is explained as soon as it is chosen."""
    with st.expander("Quiz: eight questions", icon=":material/quiz:", key="quiz"):
        st.caption("Your answers stay on this page: nothing is recorded, and nobody is told.")
        right = 0
        for number, asked in enumerate(QUIZ):
            chosen = st.radio(
                f"**{number + 1}. {asked.question}**",
                range(len(asked.choices)),
                format_func=asked.choices.__getitem__,
                index=None,
                key=f"quiz-{number}",
            )
            if chosen is None:
                continue
            if chosen == asked.right:
                right += 1
                st.success(f"**Right.** {asked.why}", icon=":material/check:")
            else:
                st.warning(
                    f"**Not quite.** The answer is: {asked.choices[asked.right]}. {asked.why}", icon=":material/undo:"
                )
        st.markdown(f"**{right} of {len(QUIZ)} right.**")
