"""Known security failures of tools like this, by their ids; S01 and S03: test_checkpoints.py."""

import tomllib
from pathlib import Path

import pytest

import attention_viz as av
from attention_viz.errors import CheckpointError
from attention_viz.figures import attention_maps

ROOT = Path(__file__).parents[2]


def test_s05_a_sentence_cannot_close_the_script_of_an_html_file():
    hostile = "</script><script>alert(1)</script>"
    run = av.run(hostile, av.random_head(16, 4))
    page = attention_maps(run).to_html(include_plotlyjs=False)
    assert "</script><script>alert" not in page
    assert "alert(1)" not in page.replace("&", "")


def test_s07_a_folder_with_code_is_no_head_and_runs_nothing(tmp_path):
    mark = tmp_path / "PWNED"
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoModel": "evil.Model"}}')
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')")
    with pytest.raises(CheckpointError, match="could not be read: Is a directory"):
        av.load_head(tmp_path)
    assert not mark.exists()


def test_s09_visitors_see_no_traceback_and_uploads_are_small():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["server"]["enableXsrfProtection"] is True
    assert settings["server"]["maxUploadSize"] <= 128
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["runner"]["postScriptGC"] is False
    assert settings["runner"]["fastReruns"] is False  # test_faults.py: what is typed is lost
