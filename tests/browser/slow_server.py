"""The app on a server that takes its time between two runs of a page, as a busy one may.

A page that asks to be run again leaves a request; Streamlit collects garbage when a run ends; and when the next begins
it first notes which page that is. What happens in those moments hardly ever does on an idle machine.
"""

import gc
import sys
import threading
import time

from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.web.cli import main

_collect, _note, _request = gc.collect, PagesManager.set_script_intent, ScriptRequests.request_rerun


def _collect_slowly(generation: int = 2) -> int:
    time.sleep(1.0)
    return _collect(generation)


def _note_slowly(self: PagesManager, page_script_hash: str, page_name: str) -> None:
    _note(self, page_script_hash, page_name)
    time.sleep(1.0)


def _request_slowly(self: ScriptRequests, new_data: RerunData) -> bool:
    if threading.current_thread().name.startswith("ScriptRunner"):  # the page itself, not the visitor's click
        time.sleep(1.0)
    return _request(self, new_data)


if __name__ == "__main__":
    gc.collect = _collect_slowly
    ScriptRequests.request_rerun = _request_slowly
    PagesManager.set_script_intent = _note_slowly
    sys.argv[0] = "streamlit"
    main()
