"""What made a file: the code it depends on, how a job writes it, and the record kept beside it.

Nothing here computes results, so what every job imports from here is not counted among the code
that a script reaches, and it imports little itself.
"""

from ldpt.io.files import staged_path, write_durably
from ldpt.provenance.code import code_hash, code_parts
from ldpt.provenance.hashing import file_hash, stable_hash
from ldpt.provenance.job import Job, Staged, job, settings, short_form
from ldpt.provenance.records import (
    FORMAT,
    RECORDS,
    config_origin,
    environment,
    products_under,
    read_record,
    record_path,
    record_text,
    relative_to,
    require_writable,
    volatile_facts,
)

__all__ = [
    "FORMAT",
    "RECORDS",
    "Job",
    "Staged",
    "code_hash",
    "code_parts",
    "config_origin",
    "environment",
    "file_hash",
    "job",
    "products_under",
    "read_record",
    "record_path",
    "record_text",
    "relative_to",
    "require_writable",
    "settings",
    "short_form",
    "stable_hash",
    "staged_path",
    "volatile_facts",
    "write_durably",
]
