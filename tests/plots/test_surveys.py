"""scripts/surveys.py: questions, verdicts and answers of replayed surveys."""

from typing import Any

import pandas as pd
import pytest

from ldpt.plots import style
from tests.plots import scripts
from tests.plots.tables import cut_off, overlapping

surveys = scripts.figure("surveys")


@pytest.fixture
def data() -> Any:
    verdicts = {"tax": "above", "voting": "below", "armed groups": "undecided"}
    where = {"threshold": 0.3, "delta": 0.05, "epsilon": 1.5, "answers": 1000, "direct": 0.2}
    rows = [
        {"survey": "one" if question == "tax" else "two", "question": question, "radius": radius}
        | {"verdict": verdict, "estimate": 0.4, "low": 0.3, "high": 0.5, "decided": share}
        | {"mean_answers": 1000 * share, "low_answers": 100, "high_answers": 1000}
        for question, verdict in verdicts.items()
        for radius, share in (("coin", 0.3), ("onesided", 0.6))
    ]
    return pd.DataFrame(rows).assign(**where)


def test_facts_count_verdicts_and_answers(data: Any) -> None:
    facts = surveys.facts(data)
    assert (facts["above"], facts["below"], facts["undecided"], facts["questions"]) == (1, 1, 1, 3)
    assert (facts["answers"], facts["coin_share"]) == (3000, 0.3)


def test_figure_has_a_row_per_question_and_no_text_over_text(data: Any) -> None:
    with style.context():
        figure = surveys.draw(data)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["tax", "voting", "armed groups"]
    assert overlapping(figure) == []
    assert cut_off(figure) == []
