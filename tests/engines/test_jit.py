"""Compiled code and its cache."""

from ldpt.engines import blocks, loops
from ldpt.engines.jit import engine_digest


def test_compiled_code_is_rebuilt_when_a_module_it_calls_changes():
    caches = [f._cache._cache_file for f in (loops.index_losses, blocks.open_long_block)]
    assert {cache._source_stamp for cache in caches} == {engine_digest()}
