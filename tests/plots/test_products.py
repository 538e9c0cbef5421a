"""ldpt.plots.products: figure, caption in two notations, and facts."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

from ldpt.plots import parts, products, style


def test_write_fills_the_caption_and_keeps_the_facts(tmp_path: Path) -> None:
    template = tmp_path / "template.rst"
    template.write_text("H_{ε} is {{ much }}, {{ absent | digits(2) }}.\n")
    output = {name: str(tmp_path / name) for name in ("caption", "typst", "facts")}
    output |= {name: str(tmp_path / f"drawn.{name}") for name in ("pdf", "png")}
    job = SimpleNamespace(
        input=SimpleNamespace(caption=str(template)),
        output=SimpleNamespace(**output),
        metadata={"made-by": "a test"},
    )
    with style.context():
        figure, _ = parts.panels(1, 1, 1.0)
        products.write(figure, {"much": 0.25, "absent": math.nan, "level": math.inf}, job)
    assert b"made-by=a test" in Path(output["pdf"]).read_bytes()
    assert Path(output["png"]).stat().st_size > 0
    assert Path(output["caption"]).read_text() == "H_ε is 0.25, not run.\n"
    assert Path(output["typst"]).read_text() == "$H_(ε)$ is 0.25, not run.\n"
    assert json.loads(Path(output["facts"]).read_text()) == {
        "much": 0.25,
        "absent": "not run",
        "level": "inf",
    }
