"""What jsonschema brings along when it is imported."""

import subprocess
import sys

import pytest

IMPORT = "import jsonschema, sys; print('lark' in sys.modules)"
SKIP = "from ldpt.io.schemas import skip_address_grammar; skip_address_grammar(); "


@pytest.mark.parametrize(("before", "built"), [("", "True"), (SKIP, "False")])
def test_jsonschema_builds_the_grammar_of_addresses_unless_it_is_skipped(before, built):
    """Without the first case nobody would notice that the function is no longer needed."""
    command = [sys.executable, "-c", before + IMPORT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [built]
