"""Where a command writes, as it was typed."""

import argparse
import os
from pathlib import Path


def output_path(text: str) -> Path:
    """A path of the command line; one that ends in a slash means a folder, which must be there."""
    if text.endswith(("/", os.sep)) and not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text[-40:]!r} is no folder that is there.")
    return Path(text)
