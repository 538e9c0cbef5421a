"""The cluster that these tests share. They run only when asked for: `pytest -m cluster`."""

from collections.abc import Iterator

import pytest

from tests.cluster.slurm import Cluster, missing


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out of a plain `pytest`: they start daemons and take minutes."""
    if "cluster" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("cluster")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    reason = missing()
    if reason:
        pytest.fail(f"no cluster can be brought up: {reason}")
    with Cluster(tmp_path_factory.mktemp("slurm") / "cluster") as ours:
        yield ours
