"""The words of the stage, as data: another language is another dictionary."""

from typing import Final

ENGLISH: Final[dict[str, str]] = {
    "d_k_words": "Head size d_k = {d_k}",
    "divisor": "Divisor",
    "score_of": "Score of query {query}, key {key}",
    "divisor_locked": "Divisor = √{d_k} = {divisor}",
    "divisor_free": "Divisor = {divisor}, a temperature (√d_k is {root})",
    "divisor_as_if": "Divisor = {divisor}, as if d_k were {square} (√d_k is {root})",
    "divisor_sqrt": "🔒 √d_k = {value}",
    "divisor_owned": "Divisor = {divisor}, this model’s; √d_k = {root}",
    "divisor_own": "🔒 this model’s = {value}",
    "divisor_own_root": "🔒 this model’s = √d_k = {value}",
    "divisor_1": "1: no scaling",
    "divisor_d_k": "d_k = {value}",
    "divisor_sqrt_d_model": "√d_model = {value}",
    "formula_locked": (
        "weights = softmax( QKᵀ ÷ √d_k{steps} ) = softmax( QKᵀ ÷ √{d_k}{steps} ) "
        "= softmax( QKᵀ ÷ {divisor}{steps} )"
    ),
    "formula_own": "weights = softmax( QKᵀ ÷ {divisor}{steps} ), as this model computes them",
    "formula_free": (
        "weights = softmax( QKᵀ ÷ divisor{steps} ) = softmax( QKᵀ ÷ {divisor}{steps} ), "
        "where √d_k = {root}"
    ),
    "raw": "Raw scores",
    "scaled": "Scaled scores",
    "logits": "Logits",
    "after_steps": "After this model’s steps",
    "weights": "Attention weights",
    "unscaled": "Attention weights without scaling",
    "title_unscaled": "Without scaling",
    "formula_raw": "QKᵀ",
    "formula_scaled": "QKᵀ ÷ {divisor}",
    "formula_logits": "QKᵀ ÷ {divisor}{steps}, before the mask",
    "formula_weights": "softmax(QKᵀ ÷ {divisor}{steps})",
    "formula_unscaled": "softmax(QKᵀ{steps})",
    "same": "Divisor 1 scales nothing: this would be the same picture.",
    "off": "{off} of {cells} cells off the scale",
    "own": "its own scale, ±{limit}",
    "own_limit": "own",
    "pale": "largest weight {most}: pale on 0 … 1",
    "colours": "Limits of the colours of scores",
    "scale_fixed": "±{limit}",
    "scale_fit": "Fit",
    "scale_own": "Own",
    "masked": "masked: may not look; ⊘ no allowed key",
    "plus": "+5 to this row’s scores",
    "sink": "sink",
    "sink_name": "the sink",
    "walk": "Arrow keys walk the cells, Enter picks the row.",
    "hint": (
        "Each row is a token that asks, each column one that is asked; a row’s weights are its "
        "shares of their values, and sum to 1 before they are rounded for the cells. Point at a "
        "cell, or tap it, for its arithmetic. A click picks its row."
    ),
    "answer": (
        "Averaged over the {rows} rows with more than one key to look at, the largest weight is "
        "{peak}, without scaling {bare_peak}. The norm of the Jacobian, how far weights move with "
        "the scores that softmax sees, is {slope}, without scaling {bare_slope}."
    ),
    "answer_same": (
        "Averaged over the {rows} rows with more than one key to look at, the largest weight is "
        "{peak}. The norm of the Jacobian, how far weights move with the scores that softmax "
        "sees, is {slope}."
    ),
    "answer_collapse": (
        " That is {ratio} times less: the nearer a row comes to a single key, the less its weights "
        "move, and the less can be learned from it."
    ),
    "shifted": (
        " With +{constant} on the raw scores of the row each of its scaled scores is {constant} ÷ "
        "{divisor} = {shift} larger."
    ),
    "sides": "query\u00a0↑ key\u00a0→",
    "corner": "query \\ key",
    "steps": (
        "{query} · {key}: q·k = {score} → ÷ {divisor} = {scaled} → "
        "exp({scaled} − {most}) / {sum} = {weight}. In this row {most} is the largest scaled "
        "score, {sum} the sum of all exp."
    ),
    "steps_changed": (
        "{query} · {key}: q·k = {score} → ÷ {divisor} = {scaled} → {steps}: {logit} → "
        "exp({logit} − {most}) / {sum} = {weight}. In this row {most} is the largest logit, {sum} "
        "the sum of all exp."
    ),
    "steps_masked": (
        "{query} · {key}: q·k = {score} → ÷ {divisor} = {scaled} → masked: may not look"
    ),
    "steps_sink": "{query}: {weight} goes to the sink, which gives nothing",
    "focuses": "{query} focuses {shares}.",
    "share": "{share} on {key}",
    "itself": "itself",
    "others": "{share} on the other {count} tokens",
    "and": " and ",
    "nothing": "{query} may look at nothing: its row has no distribution, only zeros.",
    "percent": "{share}\u00a0%",
    "under": "under\u00a01\u00a0%",
    "over": "over\u00a099\u00a0%",
    "numbers": "Numbers of this row",
    "measure": "Measure",
    "with_divisor": "with this divisor",
    "without_scaling": "without scaling",
    "row_sum": "Row sum",
    "peak": "Largest weight",
    "entropy": "Entropy (nats, at most {most})",
    "support": "Effective tokens (at most {most})",
    "bars": "Weights of the row",
    "curves": "Entropy against d_k",
    "curve_scaled": "÷ √d_k",
    "curve_unscaled": "without scaling",
    "band": "Shaded: where 9 in 10 of 200 other random heads lie.",
    "band_waits": "200 other random heads are being drawn …",
    "curves_x": "head size d_k",
    "curves_y": "mean entropy, nats",
    "curves_alt": (
        "Mean entropy of the rows against d_k. At d_k {d_k}: {scaled} nats with this divisor, "
        "{unscaled} without scaling, of at most {most}."
    ),
    "fault": "The stage could not be drawn: reload the page.",
    "present_answer": "Answer",
    "present_next": "Next",
    "present_divisor": "Divisor 1 or √d_k",
    "present_row": "Row",
    "present_end": "End",
    "present_same": (
        "The divisor is 1, so nothing is scaled, and two maps would be one picture. Another "
        "divisor or a larger d_k brings both back."
    ),
    "present_named": "{n} tokens: there is room to name one in {step} beside the maps.",
}

# What is said otherwise where the scores are a person's own: there is no query, no key and no d_k.
BY_HAND: Final[dict[str, str]] = {
    "d_k_words": "Head size d_k: none",
    "divisor_1": "1: as typed",
    "divisor_as_if": "Divisor = {divisor}, a temperature",
    "formula_free": "weights = softmax( scores ÷ {divisor} )",
    "raw": "Scores",
    "formula_raw": "typed or dragged",
    "formula_scaled": "scores ÷ {divisor}",
    "formula_weights": "softmax(scores ÷ {divisor})",
    "unscaled": "Attention weights at divisor 1",
    "title_unscaled": "At divisor 1",
    "formula_unscaled": "softmax(scores)",
    "same": "The divisor is 1: this would be the same picture.",
    "without_scaling": "at divisor 1",
    "hint": "Type over a cell of the scores, or drag it up and down.",
    "steps": (
        "{query} · {key}: {score} → ÷ {divisor} = {scaled} → "
        "exp({scaled} − {most}) / {sum} = {weight}. In this row {most} is the largest scaled "
        "score, {sum} the sum of all exp."
    ),
    "answer": (
        "Averaged over the {rows} rows with more than one key to look at, the largest weight is "
        "{peak}, at divisor 1 {bare_peak}. The norm of the Jacobian, how far weights move with "
        "the scores that softmax sees, is {slope}, at divisor 1 {bare_slope}."
    ),
}

# Of the page with many heads as small maps.
GALLERY: Final[dict[str, str]] = {
    "sort": "Sort by",
    "colour": "Colour by",
    "order": "layer and head",
    "nothing": "nothing",
    "entropy": "entropy",
    "peak": "peak",
    "first": "weight on the first token",
    "previous": "weight on the token before",
    "itself": "weight on itself",
    "highest": "highest first",
    "lowest": "lowest first",
    "low": "weight 0",
    "high": "1",
    "masked": "masked: may not look",
    "spoken": "{title}: {measures}. Open it in Explore.",
    "unit_entropy": "{value} nats",
    "heads": "Heads",
    "walk": "Arrow keys walk the heads, Enter opens one in Explore.",
}
