"""What the tests of this folder need. They run only when asked for: `make test-machine`."""

import os
import subprocess

import pytest


@pytest.fixture(scope="session", autouse=True)
def _permission_to_mount() -> None:
    """Fail in one line where the tests cannot run: nobody who asks for them wants them skipped."""
    mount = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.fail("these tests need root and the permission to mount file systems")
