"""Known failures of speed and size, by their ids; P03: test_models; P07, P09: e2e."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from streamlit.runtime.caching.cache_utils import CachedFunc

import attention_viz as av
from attention_viz import figures, ui
from attention_viz.maps import MAX_TEXT_TOKENS

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def longest():
    """The largest figure there is: 512 tokens."""
    return figures.attention_maps(av.run("a " * 512, av.random_head(16, 4)))


def test_p01_long_maps_travel_as_float32(longest):
    maps = [trace for trace in longest.data if trace.type == "heatmap"]
    assert len(maps) == 4
    assert {trace.z.dtype for trace in maps} == {np.dtype("float32")}
    assert len(longest.to_json()) < 4 * 1.75e6


def test_p02_no_cell_of_a_long_map_carries_text(longest):
    """Numbers of cells are traces of their own; a short map has them."""
    short = figures.attention_maps(av.run("a " * MAX_TEXT_TOKENS, av.random_head(16, 4)))
    assert sum(getattr(trace, "mode", None) == "text" for trace in short.data) == 4
    assert not any(getattr(trace, "mode", None) == "text" for trace in longest.data)
    assert len(longest.layout.annotations) < 100


def test_p05_nothing_is_remembered_by_a_tensor():
    """Streamlit hashes a sample of a large array: two that differ would share a picture."""
    names = [name for _, name, _ in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}.")]
    modules = [importlib.import_module(name) for name in names if ".pages" not in name]
    members = [member for module in modules for member in vars(module).values()]
    remembered = [member for member in members if isinstance(member, CachedFunc)]
    assert len(remembered) > 10
    for function in remembered:
        said = str(inspect.signature(function).parameters)
        assert not any(word in said for word in ("Tensor", "ndarray", "NDArray", "Run"))
