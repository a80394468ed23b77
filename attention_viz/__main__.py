"""python -m attention_viz."""

import sys

from attention_viz.cli import main

if sys.stdout is None:
    sys.exit("attention_viz: there is no output to write to.")
sys.exit(main())
