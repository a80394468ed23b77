import doctest
import inspect
import re
from types import ModuleType

import pytest

import attention_viz

HEAVY = ("streamlit", "plotly", "transformers")
LOADED = f"""
import sys
import attention_viz
print([name for name in {HEAVY} if name in sys.modules], attention_viz.__version__)
"""
FUNCTIONS = [name for name in attention_viz.__all__ if callable(getattr(attention_viz, name))]

EXPLAINED = [
    name
    for name in FUNCTIONS
    if not isinstance(getattr(attention_viz, name), type)
    or not issubclass(getattr(attention_viz, name), Exception)
]


def test_all_is_what_the_package_offers():
    offered = {
        name
        for name, value in vars(attention_viz).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    } - {"VERSION"}  # offered as __version__
    assert set(attention_viz.__all__) == offered
    assert len(attention_viz.__all__) == len(offered)


def test_the_names_that_notebooks_rely_on():
    assert {"tokenize", "random_head", "run", "attend", "entropy", "softmax_jacobian", "STOPS"} <= (
        set(attention_viz.__all__)
    )


def test_importing_it_loads_no_pages_figures_or_models(fresh_pythons):
    (printed,) = fresh_pythons((LOADED, {}))
    assert printed.split() == ["[]", attention_viz.__version__]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_name_explains_itself(name):
    told = inspect.cleandoc(getattr(attention_viz, name).__doc__ or "")
    # A dataclass without a docstring gets its own signature as one.
    assert told.endswith(".") or "\n" in told
    assert not told.startswith(f"{name}(")


def test_the_guide_names_every_name():
    guide = inspect.cleandoc(attention_viz.__doc__)
    assert [name for name in attention_viz.__all__ if not re.search(rf"``{name}\b", guide)] == []


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_name_has_an_example_and_explains_its_arguments(name):
    told = inspect.cleandoc(getattr(attention_viz, name).__doc__)
    assert doctest.DocTestParser().get_examples(told)
    if inspect.isfunction(getattr(attention_viz, name)):
        arguments = inspect.signature(getattr(attention_viz, name)).parameters
        assert [argument for argument in arguments if f"    {argument}: " not in told] == []
