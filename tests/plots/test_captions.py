"""ldpt.plots.captions: caption in two notations, and facts."""

import json
from pathlib import Path
from types import SimpleNamespace

from ldpt.plots import captions


def test_write_fills_the_caption_and_keeps_the_facts(tmp_path: Path) -> None:
    template = tmp_path / "template.rst"
    template.write_text("H_{ε} is {{ much }}.\n")
    output = {name: str(tmp_path / name) for name in ("caption", "typst", "facts")}
    job = SimpleNamespace(
        input=SimpleNamespace(caption=str(template)), output=SimpleNamespace(**output)
    )
    captions.write({"much": 0.25}, job)
    assert Path(output["caption"]).read_text() == "H_ε is 0.25.\n"
    assert Path(output["typst"]).read_text() == "$H_(ε)$ is 0.25.\n"
    assert json.loads(Path(output["facts"]).read_text()) == {"much": 0.25}
