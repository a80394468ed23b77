"""A head whose weights are all that is known of it: one still map, and why there are no more."""

from attention_viz import figures
from attention_viz.models import WeightsRun
from attention_viz.reading import read_row
from attention_viz.ui import downloads, show
from attention_viz.ui.state import Settings


def draw(found: WeightsRun, settings: Settings) -> None:
    """The map, its picked row read aloud, the reason, and its numbers as files."""
    row = settings.row
    show.notice(found.why)
    reading = read_row(found.tokens, found.weights, found.mask, row, keys=found.keys)
    show.sentence(reading)
    show.chart(
        figures.own_weights_map(found, row=row, palette=show.palette()),
        key="own_weights",
        alt=f"Heatmap of {found.tokens.n} by {found.keys.n} attention weights. {reading}",
        name=downloads.picture_name(found, "weights"),
    )
    downloads.draw_weights(found, row)
