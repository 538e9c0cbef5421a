"""Files of answers: what is read, and one line for what is not."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldpt import answers
from ldpt.answers import read_answers


def written(folder, text, name="answers.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_rows_are_counted_in_their_order(tmp_path):
    path = written(tmp_path, "arm,response\nshop,1\nvote,0\nshop,0\nshop,1\n")
    found = read_answers(path)
    assert found.arms == ("shop", "vote")
    assert (found.answers, found.ones, found.missing) == ((3, 1), (2, 0), 0)
    assert [bits.tolist() for bits in found.bits] == [[1, 0, 1], [0]]


def test_counts_of_an_arm_are_added(tmp_path):
    path = written(tmp_path, "Arm;responses;ones;site\na;10;4;x\nb;5;5;x\na;2;0;y\n")
    found = read_answers(path)
    assert (found.arms, found.answers, found.ones) == (("a", "b"), (12, 5), (4, 5))
    assert found.bits is None


def test_a_row_without_a_response_is_counted_as_such(tmp_path):
    found = read_answers(written(tmp_path, "arm,response\na,1\na,\nb,NA\n\nb,1.0\n"))
    assert (found.arms, found.answers, found.missing) == (("a", "b"), (1, 1), 2)


def test_parquet_says_the_same_as_csv(tmp_path):
    table = pd.DataFrame({"arm": [1, 2, 1], "response": [1.0, None, 0.0], "epsilon": [0.5] * 3})
    table.to_parquet(tmp_path / "a.parquet")
    table.to_csv(tmp_path / "a.csv", index=False)
    parquet, text = read_answers(tmp_path / "a.parquet"), read_answers(tmp_path / "a.csv")
    for key in ("arms", "answers", "ones", "missing", "epsilon"):
        assert getattr(parquet, key) == getattr(text, key)
    assert parquet.arms == ("1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("arm,response\n", "no rows below the header"),
        ("who,response\na,1\n", "row 1: columns must be arm and response"),
        ("arm,responses\na,1\n", "row 1: columns must be arm and response, or arm, responses and"),
        ("arm,arm,response\na,a,1\n", "row 1: column 'arm' appears 2 times"),
        ("arm,response\na,1\na,secret\n", "row 3: the response is not 0 or 1 .its value is not"),
        ("arm,response\na,2\n", "row 2: the response is not 0 or 1"),
        ("arm,response\na,1\n,1\n", "row 3: no arm"),
        ("arm,response\na,1,9\n", "row 2: 3 cells, the header has 2"),
        ("arm,response\na\n", "row 2: 1 cells, the header has 2"),
        ('arm,response\n"a,1\n', "row 2: not valid CSV"),
        (b"arm,response\n\xff,1\n", "not UTF-8 text"),
        ("arm,responses,ones\na,3,4\n", "row 2: ones is 4, more than the 3 responses"),
        ("arm,responses,ones\na,3,-1\n", "row 2: ones must be a whole number of at least 0"),
        ("arm,responses,ones\na,3.5,1\n", "row 2: responses must be a whole number"),
        ("arm,responses,ones\na,99999999999999999,1\n", "row 2: more than 9007199254740992"),
        ("arm,response,epsilon\na,1,1\na,1,2\n", "row 3: epsilon is 2, in the rows before it is 1"),
        ("arm,response,epsilon\na,1,x\n", "row 2: epsilon must be positive, got 'x'"),
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
        (tmp_path / "none.csv", "no such file"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_answers(path)
    monkeypatch.setattr(answers, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match="19 bytes, more than 10"):
        read_answers(written(tmp_path, "arm,response\na,1\n\n\n"[:19]))


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not a Parquet file"):
        read_answers(written(tmp_path, "arm,response\n", "a.parquet"))


def test_too_many_arms_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "MAX_ARMS", 2)
    with pytest.raises(ValueError, match="row 4: more than 2 arms"):
        read_answers(written(tmp_path, "arm,response\na,1\nb,1\nc,1\n"))


def test_responses_sorted_by_value_are_noticed(tmp_path):
    rng = np.random.default_rng(0)
    bits = (rng.random(400) < 0.3).astype(int)
    for order, noticed in ((bits, []), (np.sort(bits), ["a"]), (np.sort(bits)[::-1], ["a"])):
        text = "arm,response\n" + "".join(f"a,{bit}\n" for bit in order)
        assert read_answers(written(tmp_path, text)).sorted_arms() == noticed


def test_flipping_swaps_zeros_and_ones(tmp_path):
    found = read_answers(written(tmp_path, "arm,response\na,1\na,1\na,0\n")).flipped()
    assert found.ones == (1,)
    assert found.bits[0].tolist() == [0, 0, 1]


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters='",;\t\r\n', exclude_categories=["C"]),
    min_size=1,
    max_size=8,
).filter(lambda name: name.strip() == name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(NAMES, st.sampled_from(["0", "1", ""])), min_size=1, max_size=30))
def test_every_row_is_counted_once(tmp_path, rows):
    path = written(tmp_path, "arm,response\n" + "".join(f"{arm},{bit}\n" for arm, bit in rows))
    found = read_answers(path)
    assert sum(found.answers) + found.missing == len(rows)
    assert sum(found.ones) == sum(bit == "1" for _, bit in rows)
    for arm, bits in zip(found.arms, found.bits, strict=True):
        assert bits.tolist() == [int(bit) for name, bit in rows if name == arm and bit]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path, content):
    path = written(tmp_path, b"arm,response\n" + content)
    try:
        outcome = str(sum(read_answers(path).answers))
    except ValueError as error:
        outcome = str(error)
    assert outcome.isdigit() or outcome.startswith(f"{path}: ")
    assert "\n" not in outcome
