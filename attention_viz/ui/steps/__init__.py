"""The parts of the page Step by step."""
