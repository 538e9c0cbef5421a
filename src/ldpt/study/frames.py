"""The data frame that an analysis returns."""

import pandas as pd

from ldpt.util.messages import printable

LEFT_OUT = ("ones", "decided_at")  # of the printed columns, so that the others fit
OPTIONAL = ("note", "more_answers")  # printed if an arm has one


class VerdictFrame(pd.DataFrame):
    """A data frame of verdicts whose ``repr`` fits a terminal; what is made from it is plain."""

    def __repr__(self) -> str:
        empty = [name for name in OPTIONAL if name in self and not any(self[name].dropna())]
        shown = pd.DataFrame(self.drop(columns=[*LEFT_OUT, *empty], errors="ignore"))
        shown = shown.map(lambda cell: printable(cell) if isinstance(cell, str) else cell)
        if "more_answers" in shown:  # whole numbers, though floats beside a missing one
            whole = "{:.0f}".format
            shown["more_answers"] = shown["more_answers"].map(whole, na_action="ignore")
        rows = pd.get_option("display.max_rows")
        form = "{:.3f}".format
        return shown.to_string(float_format=form, na_rep="", line_width=80, max_rows=rows)
