"""Files of answers: what is read, and one line for what is not."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldpt.study import answers
from ldpt.study.answers import as_answers, read_answers


def written(folder, text, name="answers.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def counts(found):
    return [(sample.arm, sample.answers, sample.ones) for sample in found.samples]


def test_rows_are_counted_in_their_order(tmp_path):
    path = written(tmp_path, "arm,response\nshop,1\nvote,0\nshop,0\nshop,1\n")
    found = read_answers(path)
    assert counts(found) == [("shop", 3, 2), ("vote", 1, 0)]
    assert [sample.bits.tolist() for sample in found.samples] == [[1, 0, 1], [0]]
    assert list(found.rows()) == [("shop", 1), ("vote", 0), ("shop", 0), ("shop", 1)]
    assert found.missing == 0


def test_counts_of_an_arm_are_added(tmp_path):
    path = written(tmp_path, "Arm;responses;ones;site\na;10;4;x\nb;5;5;x\na;2;0;y\n")
    found = read_answers(path)
    assert counts(found) == [("a", 12, 4), ("b", 5, 5)]
    assert {sample.bits for sample in found.samples} == {None}
    with pytest.raises(ValueError, match="a study needs the answers in order, not counts"):
        list(found.rows())


def test_a_row_without_a_response_is_counted_as_such(tmp_path):
    found = read_answers(written(tmp_path, "arm,response\na,1\na,\nb,NA\n\nb,1.0\n"))
    assert (counts(found), found.missing) == ([("a", 1, 1), ("b", 1, 1)], 2)


def test_a_table_says_the_same_as_csv_and_parquet(tmp_path):
    table = pd.DataFrame({"arm": [1, 2, 1], "response": [1.0, None, 0.0], "epsilon": [0.5] * 3})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_parquet(tmp_path / "a.parquet")
    frame, text = as_answers(table), read_answers(tmp_path / "a.csv")
    parquet = read_answers(tmp_path / "a.parquet")
    assert counts(frame) == counts(parquet) == [(1, 2, 1), (2, 0, 0)]
    assert (parquet.missing, parquet.samples[0].epsilon) == (1, 0.5)
    assert counts(text) == [("1", 2, 1), ("2", 0, 0)]
    assert frame.missing == text.missing == 1
    assert frame.samples[0].epsilon == text.samples[0].epsilon == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("arm,response\n", "no rows below the header"),
        ("who,response\na,1\n", "columns must be arm and response"),
        ("arm,responses\na,1\n", "columns must be arm and response, or arm, responses and"),
        ("arm,arm,response\na,a,1\n", "several columns are called 'arm'"),
        (
            "arm,response\na,1\na,secret\n",
            "row 3: the response is not 0 or 1, yes or no, true or false .it is not shown",
        ),
        ("arm,response\na,2\n", "row 2: the response is not 0 or 1"),
        ("arm,response\na,1\n,1\n", "row 3: no arm"),
        ("arm,response\na,1,9\n", "not valid CSV: Expected 2 fields in line 2, saw 3"),
        (
            "arm,responses,ones\na,4\n",
            "row 2: a count must be a whole number of at least 0",
        ),
        ('arm,response\n"a,1\n', "not valid CSV: EOF inside string starting at row 1"),
        (b"arm,response\n\xff,1\n", "not UTF-8 text"),
        ("arm,responses,ones\na,3,4\n", "row 2: more ones than responses"),
        ("arm,responses,ones\na,3,-1\n", "row 2: a count must be a whole number"),
        ("arm,responses,ones\na,3.5,1\n", "row 2: a count must be a whole number"),
        ("arm,responses,ones\na,99999999999999999,1\n", "an arm has 9007199254740992 resp"),
        ("arm,responses,ones\na,inf,1\n", "row 2: a count must be a whole number"),
        (
            f"arm,responses,ones\na,1,1\na,{2**53},1\n",
            "an arm has 9007199254740992 resp",
        ),
        (
            "arm,response,epsilon\na,1,1\na,1,2\n",
            "row 3: epsilon differs from this arm's earlier one",
        ),
        ("arm,response,epsilon\na,1,x\n", "row 2: epsilon must be a positive number"),
    ],
)
def test_a_bad_file_gets_one_line_with_file_and_row(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=message) as error:
        read_answers(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_what_is_no_regular_file_is_refused(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for path, message in [
        (tmp_path / "pipe", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (tmp_path, "a folder"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_answers(path)
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        read_answers(tmp_path / "none.csv")
    monkeypatch.setattr(answers, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match="more than 10 bytes"):
        read_answers(written(tmp_path, "arm,response\na,1\n"))


def test_rows_are_numbered_from_the_header_of_a_file_and_from_the_first_row_of_a_table(tmp_path):
    table = pd.DataFrame({"arm": ["a"] * 50, "response": [1] * 41 + [2] * 9})
    table.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match=r"a\.csv: row 43: the response is not 0 or 1"):
        read_answers(tmp_path / "a.csv")
    table.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: row 42: the response is not 0 or 1"):
        read_answers(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="the table: row 42: the response is not 0 or 1"):
        as_answers(table.set_axis(table.index[::-1]))


@pytest.mark.parametrize("column", ["arm", "response"])
def test_cells_that_hold_lists_are_refused(column):
    table = pd.DataFrame({"arm": ["a", "b"], "response": [0, 1]})
    table[column] = [[1], [1, 2]]
    with pytest.raises(ValueError, match="the table: row 1: "):
        as_answers(table)


def test_responses_sorted_by_value_are_noticed(tmp_path):
    rng = np.random.default_rng(0)
    bits = (rng.random(400) < 0.3).astype(int)
    for order, noticed in ((bits, False), (np.sort(bits), True), (np.sort(bits)[::-1], True)):
        text = "arm,response\n" + "".join(f"a,{bit}\n" for bit in order)
        (sample,) = read_answers(written(tmp_path, text)).samples
        assert sample.looks_sorted() is noticed


def test_flipping_swaps_zeros_and_ones(tmp_path):
    (sample,) = read_answers(written(tmp_path, "arm,response\na,1\na,1\na,0\n")).samples
    assert sample.flipped().ones == 1
    assert sample.flipped().bits.tolist() == [0, 0, 1]


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters='",;\t\r\n', exclude_categories=["C"]),
    min_size=1,
    max_size=8,
).filter(lambda name: name.strip() == name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(NAMES, st.sampled_from(["0", "1", ""])), min_size=1, max_size=30))
def test_every_row_is_counted_once(tmp_path, rows):
    path = written(tmp_path, "arm,response\n" + "".join(f"{arm},{bit}\n" for arm, bit in rows))
    found = read_answers(path)
    assert sum(sample.answers for sample in found.samples) + found.missing == len(rows)
    assert list(found.rows()) == [(name, int(bit)) for name, bit in rows if bit]
    for sample in found.samples:
        assert sample.bits.tolist() == [
            int(bit) for name, bit in rows if name == sample.arm and bit
        ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path, content):
    path = written(tmp_path, b"arm,response\n" + content)
    try:
        outcome = str(sum(sample.answers for sample in read_answers(path).samples))
    except ValueError as error:
        outcome = str(error)
    assert outcome.isdigit() or outcome.startswith(f"{path}: ")
    assert "\n" not in outcome


def test_bad_parquet_files_are_refused_in_one_line(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"arm,response\na,1\n")
    with pytest.raises(ValueError, match=r"a\.parquet: not valid Parquet"):
        read_answers(path)
    pd.DataFrame({"arm": ["a"] * 4, "response": [1] * 4}).to_parquet(path)
    monkeypatch.setattr(answers, "MAX_ROWS", 3)
    with pytest.raises(ValueError, match=r"a\.parquet: more than 3 rows"):
        read_answers(path)
