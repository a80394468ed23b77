"""What can go wrong, one sentence each: what was wrong, what was expected, what to do.

AttentionVizError
├── TextError       the sentence: empty, or too long
├── ShapeError      sizes that do not fit together
├── SettingError    a number or a name outside its range, or a value that is not a number
├── CheckpointError a file that cannot be read as one head
├── ModelError      a model that cannot be found, read or run
├── PictureError    a picture cannot be drawn, for want of a browser
└── LessonError     a text of a lesson and the numbers that fill it do not fit together
"""


class AttentionVizError(ValueError):
    """The root: everything this package refuses on purpose."""


class TextError(AttentionVizError):
    """The sentence cannot be read."""


class ShapeError(AttentionVizError):
    """Sizes do not fit together."""


class SettingError(AttentionVizError):
    """A setting or a number is outside what is allowed."""


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse what is not a whole number in low … high.

    Raises:
        SettingError: it is of another type, or outside.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise SettingError(f"{name} must be in {low} … {high}; got {value!r:.40}.")


class CheckpointError(AttentionVizError):
    """A file cannot be read as one attention head."""


class ModelError(AttentionVizError):
    """A model cannot be found, read or run."""


class PictureError(AttentionVizError):
    """A picture cannot be drawn on this machine; nothing was asked wrongly."""


class LessonError(AttentionVizError):
    """A text of a lesson and the numbers that fill it do not fit together."""
