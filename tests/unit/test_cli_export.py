"""The command export: each ending its kind of file, whole or not there."""

import csv
import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

import attention_viz as av
from attention_viz.cli import export, main
from attention_viz.export import tables
from attention_viz.listing import torch_listing

ASKED = ["I am good", "--d-k", "6", "--d-model", "8", "--seed", "3", "--causal"]


def asked_run():
    return av.run("I am good", av.random_head(8, 6, seed=3), causal=True)


def exported(path, *arguments):
    assert main(["export", *ASKED, *arguments, "-o", str(path)]) == 0
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    return path.read_bytes()


def test_csv(tmp_path, capsys):
    data = exported(tmp_path / "a.csv", "--row", "2", "--scale", "fit")
    lines = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    weights = [line["value"] for line in lines if line["matrix"] == "weights"]
    expected = asked_run().trace.weights
    assert [np.float32(value or 0) for value in weights] == expected.flatten().tolist()
    said = {line["matrix"]: line["value"] or line["text"] for line in lines}
    assert (said["setting row"], said["setting scale"]) == ("2", "fit")
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"{tmp_path / 'a.csv'} is written\n")


def test_a_csv_too_long_for_a_spreadsheet(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(tables, "_SHEET", 9)
    for ending, count in (("csv", 2), ("json", 1)):
        assert main(["export", *ASKED, "-o", str(tmp_path / f"a.{ending}")]) == 0
        assert len(capsys.readouterr().err.splitlines()) == count


def test_json_is_what_show_prints(tmp_path, capsys):
    data = exported(tmp_path / "a.JSON")
    capsys.readouterr()
    assert main(["show", *ASKED, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(data)


def test_npz(tmp_path):
    exported(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        torch.testing.assert_close(torch.from_numpy(arrays["key"]), asked_run().trace.key)


def test_the_lines_of_torch(tmp_path):
    assert exported(tmp_path / "a.py").decode() == torch_listing(asked_run())


def test_html_states_its_link(tmp_path):
    document = exported(tmp_path / "a.html", "--link", "https://example.org/viz/").decode()
    assert "https://example.org/viz/?text=I+am+good" in document


def test_a_folder_gets_html_under_its_usual_name(tmp_path):
    assert main(["export", *ASKED, "-o", str(tmp_path)]) == 0
    assert [one.name for one in tmp_path.iterdir()] == ["i-am-good_dk6_dmodel8_seed3_causal.html"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path, monkeypatch, capsys, number):
    path = tmp_path / "a.json"
    path.write_text("what was there")
    monkeypatch.setitem(export._TABLES, "json", lambda _: signal.raise_signal(number))
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # which would not end the tests
    # Ignored where the tests run in the background.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["export", *ASKED, "-o", str(path)]) == 1
    finally:
        signal.signal(signal.SIGINT, usual)
        assert signal.signal(signal.SIGTERM, before) is signal.SIG_IGN
    assert capsys.readouterr().err == "attention_viz: stopped\n"
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_takes_no_more_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("what was there")
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (99, 99));"
        "from attention_viz.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "export", *ASKED, "-o", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "attention_viz: the output cannot be written: File too large\n"
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-o", "a.txt"], "output must end in .html, .png, .svg, .pdf, .csv, .json, .npz, .py, or"),
        (["-o", "none"], "or be a folder; got 'none'"),
        (["-o", "none.csv/"], "'none.csv/' is no folder that is there"),
        (["--row", "3"], "row must be in 0 … 2; got 3"),
        (["--scale", "wide"], "invalid choice: 'wide'"),
        (["--divisor", "0"], "divisor must be"),
        (["--output"], "expected one argument"),
    ],
)
def test_bad_input_is_status_2_and_one_sentence(capsys, tmp_path, arguments, sentence):
    try:
        status = main(["export", *ASKED, "-o", str(tmp_path / "a.csv"), *arguments])
    except SystemExit as done:
        status = done.code
    said = capsys.readouterr()
    assert status == 2
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    assert 'python -m attention_viz export "I am good" --d-k 64 -o' in capsys.readouterr().out


def test_case_e07_without_chrome_a_picture_is_one_sentence_and_numbers_work(tmp_path):
    def ask(name):
        return subprocess.run(
            [sys.executable, "-m", "attention_viz", "export", *ASKED, "-o", str(tmp_path / name)],
            check=False, capture_output=True, text=True,
            env=os.environ | {"PATH": "/nonexistent", "BROWSER_PATH": "/nonexistent"},
        )  # fmt: skip

    done = ask("a.png")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "no Chrome or Chromium was found" in done.stderr
    assert "kaleido_get_chrome" in done.stderr
    assert not list(tmp_path.iterdir())
    assert ask("a.csv").returncode == 0
    assert ask("a.html").returncode == 0
