"""What a page and its server say to each other about runs of the script."""

from weakref import WeakKeyDictionary

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_watched = WeakKeyDictionary()


def watch(page):
    """Follow a page from before it is opened, so that `is_to_come` can be asked."""
    _watched[page] = _Runs(page)


def is_to_come(page):
    """Whether the page has asked for a run that has not ended; of a page not watched: False.

    The page itself tells only of a run that has begun: it seems to rest while what was done on it
    is on its way.
    """
    return page in _watched and _watched[page].is_asked


class _Runs:
    def __init__(self, page):
        self.is_asked = self.has_begun = False
        self.socket = None
        page.on("websocket", self._connect)

    def _connect(self, socket):
        self.socket = socket
        self.is_asked = True  # the first that it says
        self.has_begun = False
        socket.on("framesent", self._hear_page)
        socket.on("framereceived", self._hear_server)
        socket.on("close", self._lose)

    def _lose(self, socket):
        if socket is self.socket:  # of a page that was left the end may be told late
            self.is_asked = False

    def _hear_page(self, frame):
        if BackMsg.FromString(frame).WhichOneof("type") == "rerun_script":
            self.is_asked = True
            self.has_begun = False  # what runs now may be another one

    def _hear_server(self, frame):
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.has_begun = True
        elif kind == "script_finished" and self.has_begun:
            self.has_begun = False
            self.is_asked = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
