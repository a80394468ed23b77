"""Names of files, and what they say of themselves."""

import pytest
import torch

import attention_viz as av
from attention_viz.checkpoints import read_checkpoint
from attention_viz.demo import demo_run
from attention_viz.export.naming import address, file_name, settings
from attention_viz.origins import Loaded
from attention_viz.pipeline import Run, run_checkpoint
from attention_viz.ui.state import Settings, read_address


def random_run(text="Wie geht es dir", d_k=64, **how):
    return av.run(text, av.random_head(256, d_k, seed=0), **how)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (random_run(), "wie-geht-es-dir_dk64_seed0.html"),
        (random_run(divisor=2.5), "wie-geht-es-dir_dk64_seed0_divisor2.5.html"),
        (random_run(causal=True), "wie-geht-es-dir_dk64_seed0_causal.html"),
        (random_run(positions=True), "wie-geht-es-dir_dk64_seed0_positions.html"),
        (
            av.run("I", av.random_head(8, 4, seed=3, start=av.Start.HEAVY)),
            "i_dk4_dmodel8_heavy_seed3.html",
        ),
        (random_run("../../etc/passwd\x00<b>"), "etc-passwd-b_dk64_seed0.html"),
        (random_run("!?"), "attention_dk64_seed0.html"),
        (random_run("我很好 " * 99), "我很好-" * 10 + "_dk64_seed0.html"),
        (demo_run("the cat", "induction"), "the-cat_induction_dk32.html"),
    ],
)
def test_a_name_says_what_is_inside(run, name):
    assert file_name(run, "html") == name.replace("-_", "_")


def test_the_address_shows_the_same_run():
    run = random_run("I <am> & good", 50, causal=True, positions=True)
    chosen, wrong = read_address(address(run, row=2, scale="own"))
    assert not wrong
    said = Settings(**chosen)
    assert (said.text, said.d_k, said.row, said.scale) == ("I <am> & good", 50, 2, "own")
    assert (said.mask, said.positions, said.seed, said.d_model) == ("causal", True, 0, 256)


@pytest.fixture
def a_file(tmp_path):
    layer = torch.nn.MultiheadAttention(15, 3)
    torch.save(layer.state_dict(), tmp_path / "mine.pt")
    return tmp_path / "mine.pt"


def test_a_file_head_says_all_that_makes_its_numbers_again(a_file):
    chosen = {"seed": 7, "positions": True, "causal": True}
    head = read_checkpoint(a_file, num_heads=3, head=2)
    run = run_checkpoint("I am", head, **chosen)
    said = settings(run)
    found = read_checkpoint(a_file, num_heads=said["num_heads"], head=said["head_index"])
    again = run_checkpoint(
        said["text"],
        found,
        seed=said["seed"],
        positions=said["positions"],
        causal=said["mask"] == "causal",
    )
    torch.testing.assert_close(again.trace.weights, run.trace.weights, rtol=0, atol=0)
    assert file_name(run, "csv") == "i-am_mine-pt_head2_dk5_seed7_positions_causal.csv"
    assert address(run) == {}
    first = read_checkpoint(a_file, num_heads=3)
    others = [run_checkpoint("I am", first), run_checkpoint("I am", first, **chosen), run]
    assert len({file_name(one, "csv") for one in others}) == 3


def test_a_head_given_to_run_says_what_it_was_given(a_file):
    said = settings(av.run("I", av.load_head(a_file, 3), seed=5, normalised=True))
    assert (said["seed"], said["normalised"], said["mask"]) == (5, True, "none")


def test_a_file_has_no_address_and_a_demo_head_has():
    run = demo_run("the cat", "induction")
    assert read_address(address(run))[0]["head"] == "induction"
    own = Run(run.tokens, run.keys, run.inputs, run.trace, Loaded("mine.pt", 64))
    assert address(own) == {}
    assert settings(own)["whole_d_k"] == 64
