from pathlib import Path

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
