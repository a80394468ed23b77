"""python -m attention_viz."""

import sys

from attention_viz.cli import main

sys.exit(main())
