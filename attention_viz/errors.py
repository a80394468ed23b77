"""What can go wrong, one sentence each: what was wrong, what was expected, what to do.

AttentionVizError
├── TextError       the sentence: empty, or too long
├── ShapeError      sizes that do not fit together
├── SettingError    a number or a name outside its range, or a value that is not a number
└── CheckpointError a file that cannot be read as one head
"""


class AttentionVizError(ValueError):
    """The root: everything this package refuses on purpose."""


class TextError(AttentionVizError):
    """The sentence cannot be read."""


class ShapeError(AttentionVizError):
    """Sizes do not fit together."""


class SettingError(AttentionVizError):
    """A setting or a number is outside what is allowed."""


class CheckpointError(AttentionVizError):
    """A file cannot be read as one attention head."""
