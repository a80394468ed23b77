import json
import struct
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture
def open_app():
    """Open the app at an address; the first run imports torch, hence the timeout."""

    def open_at(**address):
        at = AppTest.from_file(APP, default_timeout=60)
        for key, value in address.items():
            at.query_params[key] = value
        at.run()
        assert not at.exception
        return at

    return open_at


@pytest.fixture
def open_page(open_app):
    """Open a page by its name, at an address."""

    def open_at(page, **address):
        if page == "explore":
            return open_app(**address)
        at = open_app()
        at.switch_page(f"attention_viz/ui/pages/{page}.py")
        for key, value in address.items():
            at.query_params[key] = value
        at.run()
        assert not at.exception
        return at

    return open_at


class Payload:
    """What the stage was sent, read back."""

    def __init__(self, data):
        (length,) = struct.unpack_from("<I", data)
        self.header = json.loads(data[4 : 4 + length])
        shape = len(self.header["stops"]), self.header["n_q"], self.header["n_k"]
        count = shape[0] * shape[1] * shape[2]
        self.scores = np.frombuffer(data, "<f4", count, 4 + length).reshape(shape)
        rest = data[4 + length + 4 * count :]
        self.mask = np.frombuffer(rest, "u1").reshape(shape[1:]).astype(bool) if rest else None

    def scores_at(self, d_k):
        return self.scores[self.header["stops"].index(d_k)]


@pytest.fixture
def stage_of():
    """The payload of the stage on a page."""

    def read(at):
        (stage,) = (c.proto for c in at.get("bidi_component") if c.proto.component_name == "stage")
        return Payload(stage.bytes)

    return read
