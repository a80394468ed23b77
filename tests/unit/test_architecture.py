"""The picture of the layers is that of the contract."""

from tests.architecture import PICTURE, draw


def test_the_picture_is_of_the_layers_that_lint_imports_holds():
    assert PICTURE.read_text("utf-8") == draw(), "draw it anew: python -m tests.architecture"
