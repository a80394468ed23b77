"""The command sweep: the numbers of the page's engine, in a file that is whole or not there."""

import csv
import json
import math
import subprocess
import sys

import pytest

import attention_viz as av
from attention_viz.cli import main, sweep
from attention_viz.experiments.sweep import Sweep, stops_between, walk
from attention_viz.scaling import LONG_STOPS

ASKED = ["--d-k", "2:6", "--keys", "5", "--draws", "50", "--seed", "3"]
WORDS = ("start", "divisors", "version")
SWEEP = Sweep(stops_between(2, 6), keys=5, draws=50, seed=3)


def swept(path, *arguments):
    assert main(["sweep", *ASKED, *arguments, "-o", str(path)]) == 0
    if path.suffix == ".json":
        return json.loads(path.read_text())["rows"]
    with path.open(newline="") as file:
        return [
            {k: (float(v) if v else None) if k not in WORDS else v for k, v in row.items()}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_row_for_each_d_k_with_the_numbers_of_the_engine(tmp_path, capsys, ending):
    rows = swept(tmp_path / f"sweep.{ending}")
    points = list(walk(SWEEP))
    assert [row["d_k"] for row in rows] == [2, 3, 4, 5, 6]
    for row, point in zip(rows, points, strict=True):
        assert row["divisor"] == math.sqrt(point.d_k)
        assert row["raw_spread"] == point.raw_spread.mean
        assert row["scaled_spread"] == point.readings[0].spread.mean
        for side, reading in zip(("scaled", "unscaled"), point.readings, strict=True):
            for name in ("peak", "entropy", "effective_support", "jacobian_norm", "key_gradient"):
                one = getattr(reading, name)
                found = [row[f"{side}_{name}{end}"] for end in ("", "_error", "_median")]
                assert found == [one.mean, one.error, one.median]
            assert row[f"{side}_normalised_entropy"] == pytest.approx(
                reading.entropy.mean / math.log(5)
            )
            assert row[f"{side}_query_gradient_top_tenth"] == reading.query_gradient.top_share
        assert row["winner_changed_by_scaling"] == 0
    assert rows[2]["winner_changed_from_half"] == points[2].changed
    assert rows[1]["winner_changed_from_half"] is None
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1] == "d_k 6 of 6"
    assert [path.name for path in tmp_path.iterdir()] == [f"sweep.{ending}"]


def test_a_file_says_what_makes_it_again(tmp_path):
    csv_row = swept(tmp_path / "a.csv", "--divisor", "d_k", "--start", "tied")[0]
    swept(tmp_path / "a.json", "--divisor", "d_k", "--start", "tied")
    said = json.loads((tmp_path / "a.json").read_text())["settings"]
    assert said == {
        "keys": 5, "draws": 50, "seed": 3, "start": "tied", "divisors": "d_k,1",
        "version": av.__version__,
    }  # fmt: skip
    assert {name: csv_row[name] for name in said} == said


def test_divisor_and_start_are_the_engine_s(tmp_path):
    rows = swept(tmp_path / "a.json", "--divisor", "d_k", "--start", "tied")
    points = walk(Sweep(SWEEP.stops, keys=5, draws=50, seed=3, start="tied", divisors=("d_k", "1")))
    for row, point in zip(rows, points, strict=True):
        assert row["divisor"] == point.d_k
        assert row["scaled_peak"] == point.readings[0].peak.mean


def test_a_single_d_k(tmp_path):
    path = tmp_path / "one.json"
    assert main(["sweep", "--d-k", "7", "--draws", "9", "-o", str(path)]) == 0
    assert [row["d_k"] for row in json.loads(path.read_text())["rows"]] == [7]


def test_a_file_is_replaced_when_the_new_one_is_whole(tmp_path, monkeypatch, capsys):
    path = tmp_path / "sweep.csv"
    path.write_text("what was there")

    def interrupted(asked):
        yield next(walk(asked))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sweep, "walk", interrupted)
        assert main(["sweep", *ASKED, "-o", str(path)]) == 1
    assert capsys.readouterr().err.endswith("attention_viz: stopped\n")
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]
    assert len(swept(path)) == 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--d-k", "4:"], "d_k must be a range such as 1:1024; got '4:'"),
        (["--d-k", "x:9"], "d_k must be a range such as 1:1024"),
        (["--d-k", "٤:9"], "d_k must be a range such as 1:1024"),
        (["--d-k", "9:3"], "the smallest d_k must not be above the largest; got 9 and 3"),
        (["--d-k", "1:9999"], "the largest d_k must be in 1 … 4096; got 9999"),
        (["--d-k", "1:" + "9" * 5000], "d_k must be a range"),
        (["--keys", "1"], "keys must be in 2 … 1024; got 1"),
        (["--keys", "1024"], "draws must be at most 256 with 1024 keys"),
        (["--divisor", "0"], "divisor must be sqrt, 1, d_k or a number"),
        (["--start", "warm"], "invalid choice: 'warm'"),
        (["-o", "sweep.txt"], "output must end in .csv or .json; got 'sweep.txt'"),
        (["-o", "/dev/stdout"], "output must end in .csv or .json"),
        (["--output"], "expected one argument"),
    ],
)
def test_bad_input_is_status_2_and_one_sentence(capsys, tmp_path, arguments, sentence):
    try:
        status = main(["sweep", "-o", str(tmp_path / "a.csv"), *arguments])
    except SystemExit as done:
        status = done.code
    said = capsys.readouterr()
    assert status == 2
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("none/a.csv", "there is no folder {}/none; make it, or give another"),
        ("there.csv", "Is a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_status_1_before_anything_is_measured(
    tmp_path, name, why
):
    (tmp_path / "there.csv").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "attention_viz", "sweep", *ASKED, "-o", str(tmp_path / name)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    # What is measured says so on the same stream.
    assert done.stderr == f"attention_viz: the output cannot be written: {why.format(tmp_path)}\n"


@pytest.mark.parametrize("ending", ["CSV", "Json"])
def test_an_ending_may_be_in_capitals(tmp_path, ending):
    path = tmp_path / f"sweep.{ending}"
    assert main(["sweep", *ASKED, "-o", str(path)]) == 0
    assert path.read_text()[0] == {"CSV": "d", "Json": "{"}[ending]


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["sweep", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "python -m attention_viz sweep --d-k 1:1024 --keys 8 -o" in said
    assert f"each stop between: {' '.join(map(str, LONG_STOPS))}" in said
