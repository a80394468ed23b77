"""The parts of the Softmax lab: its choices, its scores, and one module a section."""
