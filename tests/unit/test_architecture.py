"""The picture of the layers is that of the contract, and the contracts know every module."""

from tests.architecture import PICTURE, draw, held_from_streamlit, layers


def test_the_picture_is_of_the_layers_that_lint_imports_holds():
    assert PICTURE.read_text("utf-8") == draw(), "draw it anew: python -m tests.architecture"


def test_no_module_but_ui_may_import_streamlit():
    """The layers are exhaustive, lint-imports sees to that; this list is kept by hand."""
    assert held_from_streamlit() == {name for layer in layers() for name in layer} - {"ui"}
