"""Names of files, and what they say of themselves."""

import pytest

import attention_viz as av
from attention_viz.demo import demo_run
from attention_viz.export.naming import address, facts, file_name
from attention_viz.pipeline import Loaded, Run
from attention_viz.ui.state import Settings, read_address


def random_run(text="Wie geht es dir", d_k=64, **how):
    return av.run(text, av.random_head(256, d_k, seed=0), **how)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (random_run(), "wie-geht-es-dir_dk64_seed0.html"),
        (random_run(divisor=2.5), "wie-geht-es-dir_dk64_seed0_divisor2.5.html"),
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


def test_a_file_has_no_address_and_a_demo_head_has():
    run = demo_run("the cat", "induction")
    assert read_address(address(run))[0]["head"] == "induction"
    own = Run(run.tokens, run.keys, run.inputs, run.trace, Loaded("mine.pt", 64))
    assert address(own) == {}
    assert facts(own)["ablation"] == 32
