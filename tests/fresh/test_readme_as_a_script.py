"""`make test-fresh` finds packages and programs in README.md."""

from tests.fresh.systems import packages_of_the_readme, programs


def test_packages_and_programs_of_the_readme_are_found() -> None:
    assert packages_of_the_readme() == ["git", "make", "python3-venv"]
    library, plots = programs().values()
    assert library[1].startswith("ldpt analyse examples/answers.csv --threshold")
    assert plots[1].startswith("ldpt plan --means")
    assert "plots.cost(runs)" in plots[0]
