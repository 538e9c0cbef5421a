"""What made a file: the code it depends on, how a job writes it, and the record beside it.

Nothing here computes results; what every job imports from here does not enter its code hash.
"""

from ldpt.provenance.code import code_hash
from ldpt.provenance.environment import config_origin
from ldpt.provenance.job import job
from ldpt.provenance.records import RECORDS, file_hash, read_record, record_path, stable_hash

__all__ = [
    "RECORDS", "code_hash", "config_origin", "file_hash", "job", "read_record", "record_path",
    "stable_hash",
]  # fmt: skip
