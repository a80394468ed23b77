"""The table of all benchmarks: what it says of a budget is what was measured."""

import pytest

from benchmarks.table import Budget, Finding, beside, cells, in_turns, load, markdown, save

SLOW = Finding("a change", "ms", (5.0, 31.0, 40.0), budget=Budget(30))
LIVE = beside("pictures", "a second", [58.0], "at rest", [60.0], Budget(0.9, True, True))
PRESS = beside("a press", "ms", [15, 17], "a slider", [260], Budget(1 / 15, on_ratio=True))
TURNS = in_turns("first", "s", [(1, 2), (30, 20), (4, 2)], "a", Budget(1.6, on_ratio=True))
FOUND = [SLOW, LIVE, PRESS, TURNS, Finding("size", "kB", (139.4,), "another: not made")]


def test_a_budget_is_judged_by_the_median_of_what_it_is_on():
    assert [finding.is_met for finding in FOUND] == [False, True, True, True, True]
    assert not in_turns("first", "s", [(3, 2)], "bare", Budget(1.4, on_ratio=True)).is_met
    assert not beside("pictures", "", [53], "", [60], Budget(0.9, True, True)).is_met


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (SLOW, "a change | 31.0 ms (5.00 … 40.0) | | | ≤ 30.0 ms | MISSED"),
        (LIVE, "pictures | 58.0 a second | at rest: 60.0 a second | 0.97 × | ≥ 0.90 × | met"),
        (PRESS, "a press | 16.0 ms (15.0 … 17.0) | a slider: 260 ms | 1/16.2 | ≤ 1/15.0 | met"),
        # Each turn has its own ratio: that of the medians would be 2.
        (TURNS, "first | 4.00 s (1.00 … 30.0) | a: 2.00 s (2.00 … 20.0) | 1.50 × | ≤ 1.60 × | met"),
        (FOUND[-1], "size | 139 kB | another: not made | | | "),
    ],
)  # fmt: skip
def test_a_line_says_it(finding, said):
    assert cells(finding) == [cell.strip() for cell in said.split("|")]


def test_findings_are_kept_whole_and_a_table_has_a_line_for_each(tmp_path):
    save(FOUND, tmp_path / "findings.json")
    assert load(tmp_path / "findings.json") == FOUND
    lines = markdown(FOUND).splitlines()
    assert len(lines) == 2 + len(FOUND)
    assert len({len(line) for line in lines}) == 1
