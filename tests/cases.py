"""The ids of known failures of tools like this one, as tests carry them in their names."""

import re

# Kinds: text, loading, numbers, teaching (C), figures, state (A), export, security, performance.
_IDS = re.compile(r"(?:(?<=[_\[-])|(?<=::))([acefnlpst]\d\d)(?![a-z0-9])", re.IGNORECASE)
_NUMBERS = {
    "T": (1, 3, 4, 5, 6, 8, 10, 11, 12, 14),
    "L": (1, 3, 5, 7, 8, 9, 11, 13, 15, 17, 19, 21, 22, 23, 24),
    "N": (1, 3, 5, 7, 9, 11, 12, 13, 15, 16, 17, 19, 21, 23, 24),
    "C": (1, 3, 5, 6, 7, 9, 10, 11, 13, 15, 16, 17, 19, 21, 23),
    "F": (1, 3, 5, 7, 9, 11, 13, 15, 16, 17),
    "A": (1, 3, 5, 7, 8, 9, 11, 13),
    "E": (1, 3, 5, 6, 7, 9),
    "S": (1, 3, 5, 7, 9),
    "P": (1, 2, 3, 5, 7, 9),
}
CASES = [f"{kind}{number:02}" for kind, numbers in _NUMBERS.items() for number in numbers]


def case_ids(name):
    """The ids in the name of a test and of its parameters, in capitals."""
    return [case.upper() for case in _IDS.findall(name)]
