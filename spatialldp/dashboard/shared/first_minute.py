"""The first minute: a heading that may be a story, and the row that leads to stories and to the tour."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.shared import arrow_keys, components, session
from spatialldp.dashboard.shared.choices import opened
from spatialldp.dashboard.shared.choosing import choices, choose, decide
from spatialldp.dashboard.shared.pages import FILES, Page
from spatialldp.dashboard.shared.stories import STORIES, next_story

#: What the tour says, and beside which part of the page: the first one that is in sight.
_STOPS = [
    {
        "title": "Where people are",
        "text": "Each cell is a part of the city; the stronger its colour, the more people live there. In real life "
        "nobody ever sees this map: here everything is simulated, so that you can compare.",
        "beside": [".st-key-map-true"],
    },
    {
        "title": "What the phones send",
        "text": "Before it sends anything, every phone randomises its owner’s location. One report says little "
        "about one person, and all reports together look like fog.",
        "beside": [".st-key-map-perturbed"],
    },
    {
        "title": "What comes back",
        "text": "It is public how the randomness was added, so statistics can clear the fog from the map, but never "
        "from a single report. How much of the first map do you recognise?",
        "beside": [".st-key-map-recovered"],
    },
    {
        "title": "ε, the privacy budget",
        "text": "This one number (say “epsilon”) sets how much is left to chance. To the left every person is safer "
        "and the map gets worse; to the right it is the other way round. Try it: the maps follow.",
        "beside": [".st-key-eps", ".st-key-epsilon-here"],
    },
    {
        "title": "How wrong the map is",
        "text": "Error W2 says how far from their own cell people are shown, Range error by how many people a count in "
        "part of the city is off. Could you work with that?",
        "beside": [".st-key-headline"],
    },
    {
        "title": "Where to go from here",
        "text": "The menu leads on: Trade-off finds the ε for an error that you can accept, Compare tries other ways "
        "to randomise, and Lesson is for a class. Your settings come along.",
        # On a telephone the menu is behind the button that opens the sidebar.
        "beside": [".st-key-menu", "[data-testid=stExpandSidebarButton]"],
    },
]


def heading(title: str, caption: str = "") -> None:
    """The title of a page and what it is about; while a story is told, the story."""
    chosen = choices()
    if chosen.bare or chosen.story is None or not chosen.told_on(session.current_page()):
        st.title(title)
        if caption and not chosen.present:
            st.caption(caption)
        return
    story = STORIES[chosen.story]
    st.title(story.title)
    with st.container(key="story"):
        if chosen.as_told:
            st.markdown(story.text)
        else:
            st.markdown("You have changed the settings of this story, so what it says is no longer about this view.")
            st.button("Back to the story’s view", key="retell", on_click=_open, args=(chosen.story,))


def strip() -> None:
    """The row above the page: stories and the tour on the start page, the way on in a story, the presenter mode."""
    chosen, page = choices(), session.current_page()
    told = chosen.told_on(page)
    if chosen.bare or (chosen.present and not told):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="strip"):
        if page is Page.EXPLORE or told:
            components.first_minute(
                [_link(name) for name in STORIES],
                {"number": list(STORIES).index(chosen.story) + 1, "next": _link(next_story(chosen.story))}
                if told and chosen.story
                else None,
                _STOPS,
                bool(session.TOUR_TAKEN.get()),
                _chosen,
                _taken,
                session.FIRST_MINUTE,
            )
        if not chosen.present:
            st.space("stretch")
            st.button(
                "Present",
                key="present",
                icon=":material/present_to_all:",
                type="tertiary",
                on_click=choose,
                kwargs={"present": True},
                help=f"For a projector: larger type, no sidebar, and the keys {' '.join(arrow_keys.signs())} move ε",
            )


def _link(name: str) -> dict[str, str]:
    story = STORIES[name]
    page = "." if story.page is Page.EXPLORE else FILES[story.page].removeprefix("pages/").removesuffix(".py")
    return {"name": name, "title": story.title, "href": f"{page}?{opened(name).link(story.page)}"}


def _chosen() -> None:
    name = session.shown(session.FIRST_MINUTE).get("story")
    if name:
        _open(name)
    elif name == "":
        choose(story=None)


def _open(name: str) -> None:
    """The view of a story. What has been saved to compare with stays."""
    now = choices()
    decide(opened(name).changed(scenarios=now.scenarios, present=now.present, bare=now.bare))
    session.GOAL.set(STORIES[name].page)


def _taken() -> None:
    session.TOUR_TAKEN.set(True)
