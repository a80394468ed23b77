"""What is true of a head of a model, as sentences."""

import math

from attention_viz.measures import score_spread
from attention_viz.models.model import HeadFacts, ModelRun
from attention_viz.reading import number


def read_facts(facts: HeadFacts) -> str:
    """Which head it is, and what it does beside the paper's steps, without a full stop."""
    extras = f": {'; '.join(facts.extras)}" if facts.extras else ""
    return f"{facts.model}, layer {facts.layer_name}, head {facts.head}{extras}"


def read_divisor(run: ModelRun) -> str:
    """What this head divides by, and how far its scaled scores then spread."""
    own, root = run.facts.divisor, math.sqrt(run.trace.d_k)
    if own == 1:
        said = f"The model does not scale; √d_k would be {number(root)}"
    elif math.isclose(own, root, rel_tol=1e-6):
        said = f"The model divides by √d_k = {number(root)}, as the paper does"
    else:
        said = f"The model divides by {number(own)}, not by √d_k = {number(root)}"
    spread = score_spread(run.trace.scores / own, run.trace.mask)
    return (
        f"{said}. Within rows its scores, divided so, have a standard deviation of "
        f"{number(spread)}: that it would be 1 is true of random heads, not of trained ones."
    )


def read_residual(facts: HeadFacts) -> str:
    """How well the steps shown explain the model's own weights."""
    differ = f"differ from the model's own by at most {facts.residual:.1e}"
    equal = "equal the model's own to the last digit"
    return (
        "Every step is computed again here: with the model's own divisor and all dimensions, the "
        f"weights {differ if facts.residual else equal} in this layer."
    )
