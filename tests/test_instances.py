"""Problems and their complexity (Sections 2.2 and 2.4), and the lower bounds' environments."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from ldpt import bounds, exact, simulate
from ldpt import rare_events as rare
from ldpt.config.experiment import load
from ldpt.config.schema import check_keys
from ldpt.instances import (
    Instance,
    budget_environments,
    equal_gap,
    read_instances,
)

DOSES = Instance("doses", [0.05, 0.12, 0.25, 0.40, 0.55, 0.68], 0.30, 0.02)


def test_gaps_and_complexity_by_hand():
    instance = Instance("three", [0.25, 0.5, 0.875], 0.5, 0.125)
    assert instance.gaps.tolist() == [0.375, 0.125, 0.5]
    by_hand = sum(1 / Fraction(gap) ** 2 for gap in (0.375, 0.125, 0.5))
    assert instance.complexity() == pytest.approx(float(by_hand), rel=1e-14)


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 10.0, 800.0, math.inf])
def test_private_complexity_is_the_complexity_of_the_private_gaps(epsilon):
    """H_eps = H / c^2, computed a second time from the responses' own means and threshold."""
    deviations = np.abs(DOSES.private_means(epsilon) - DOSES.private_threshold(epsilon))
    private_gaps = deviations + DOSES.private_tolerance(epsilon)
    rel = 1e-6 if epsilon < 1e-6 else 1e-12  # means near 1/2 lose digits in the difference
    assert DOSES.complexity(epsilon) == pytest.approx(float(np.sum(private_gaps**-2)), rel=rel)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_private_complexity_against_the_papers_factor(epsilon):
    factor = ((math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)) ** -2
    assert DOSES.complexity(epsilon) == pytest.approx(factor * DOSES.complexity(), rel=1e-12)


def test_complexity_is_infinite_with_an_arm_at_the_threshold_and_no_tolerance():
    assert Instance("hopeless", [0.5, 0.7], 0.5).complexity() == math.inf
    assert math.isfinite(Instance("free", [0.5, 0.7], 0.5, 0.1).complexity())


def test_must_accept_and_must_reject_leave_the_band_free_but_not_its_lower_edge():
    """The loss rule: mu <= tau - zeta must stay out, mu > tau + zeta must come in."""
    instance = Instance("edges", [0.25, 0.26, 0.5, 0.75, 0.76], 0.5, 0.25)
    assert instance.must_reject.tolist() == [True, False, False, False, False]
    assert instance.must_accept.tolist() == [False, False, False, False, True]


def test_above_counts_the_threshold_itself():
    assert Instance("x", [0.4, 0.5, 0.6], 0.5).above == {1, 2}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"means": []}, "means is empty"),
        ({"means": [0.5, 1.5]}, r"means\[1\] must be a number in \[0, 1\], got 1.5"),
        ({"means": [-0.1]}, r"means\[0\] must be .*, got -0.1"),
        ({"means": [math.nan]}, r"means\[0\] must be .*, got nan"),
        *(
            ({"means": [bad]}, r"means\[0\] must be a number in \[0, 1\], got")
            for bad in (True, np.bool_(1), "0.5", b"1", None, [0.5], 0.5 + 0j, Decimal(1), 10**400)
        ),
        *(
            ({"means": bad}, r"means must be a list of numbers in \[0, 1\], got")
            for bad in (None, 0.5, "0.5", {0.5: 1})
        ),
        ({"means": np.array([True])}, r"means\[0\] must be a number"),
        ({"means": np.array([[0.5]])}, r"means\[0\] must be a number"),
        *(
            ({key: bad}, rf"{key} must be a number in \[0, .*\], got")
            for key in ("threshold", "tolerance")
            for bad in (True, np.bool_(1), "0.5", None, [0.5], 0.5 + 0j, 10**400)
        ),
        ({"threshold": 2}, "threshold must be .*, got 2"),
        ({"threshold": math.nan}, "threshold must be .*, got nan"),
        ({"tolerance": -0.1}, "tolerance must be .*, got -0.1"),
        ({"tolerance": math.inf}, "tolerance must be .*, got inf"),
        ({"tolerance": 1.5}, r"tolerance must be a number in \[0, 1\], got 1.5"),
    ],
)
def test_instance_refuses_a_bad_problem_with_its_name_and_value(arguments, complaint):
    good = {"name": "study", "means": [0.2, 0.8], "threshold": 0.5, "tolerance": 0.1}
    Instance(**good)
    with pytest.raises(ValueError, match=f"instance 'study': {complaint}"):
        Instance(**{**good, **arguments})


def test_instance_is_equal_by_value():
    assert Instance("a", np.array([0.2, 0.8]), 0.5) == Instance("a", (0.2, 0.8), 0.5)
    assert replace(DOSES, tolerance=0.0) == DOSES.strict != DOSES


def test_budget_environments_differ_in_one_arm_each():
    instance = Instance("pair", [0.2, 0.9], 0.5, 0.05)
    base, *flipped = budget_environments(instance)
    assert base.means == pytest.approx((0.7, 0.75))
    assert flipped[0].means == pytest.approx((0.3, 0.75))
    assert flipped[1].means == pytest.approx((0.7, 0.25))
    for environment in (base, *flipped):
        judged = environment.must_accept | environment.must_reject
        assert judged.all(), "an environment whose arm lies in the band proves nothing"


@pytest.mark.parametrize("n_arms", [1, 2, 5, 1024])
def test_equal_gaps_are_equal(n_arms):
    instance = equal_gap(n_arms, gap=0.125)
    assert instance.n_arms == n_arms
    assert set(instance.gaps.tolist()) == {0.125}
    assert len(instance.above) == math.ceil(n_arms / 2)


def family(seed: int = 3, **entry) -> list[Instance]:
    """Return the members of a family of a config."""
    config = load() | {"seed": seed, "instances": [{"min_gap": 0.02, **entry}]}
    return list(check_keys(config).instances[0].instances(seed))


FAMILIES = {
    "random": {"family": "random", "count": 3, "arms": 8, "threshold": 0.5},
    "beta": {"family": "new", "laws": ["beta"], "arms": [8], "count": 3, "threshold": 0.5},
    "hard": {"family": "new", "laws": ["hard"], "arms": [8], "count": 3, "threshold": 0.5},
    "skewed": {"family": "skewed", "count": 3, "arms": 8},
}


@pytest.mark.parametrize("name", FAMILIES)
def test_members_of_a_family_are_seeded_and_keep_their_distance(name):
    members = family(**FAMILIES[name])
    assert members == family(**FAMILIES[name])
    others = family(seed=4, **FAMILIES[name])
    assert len({instance.means for instance in members + others}) == 6
    assert all(instance.n_arms == 8 and instance.gaps.min() >= 0.02 for instance in members)
    fewer = family(**FAMILIES[name] | {"count": 1})
    assert fewer == members[:1]


def test_families_have_streams_of_their_own():
    first = {name: family(**entry)[0] for name, entry in FAMILIES.items()}
    assert len({instance.means[1:] for instance in first.values()}) == 4
    assert [instance.name for instance in first.values()] == [
        "random-1",
        "new-beta-8-1",
        "new-hard-8-1",
        "skewed-1",
    ]
    assert family(**FAMILIES["beta"] | {"arms": [12]})[0].means[:8] != first["beta"].means


def test_new_hard_instances_have_one_hard_arm_and_easy_ones():
    gaps = np.sort([one.gaps for one in family(**FAMILIES["hard"] | {"arms": [12], "count": 20})])
    assert (gaps[:, 0] >= 0.02).all()
    assert (gaps[:, 0] <= 0.05).all()
    assert (gaps[:, 1:] >= 0.2).all()
    assert (gaps <= 0.4).all()


@pytest.mark.parametrize("name", [None, 5, True, ["x"], "x" * 201])
def test_an_instance_is_named_by_text(name):
    with pytest.raises(ValueError, match="name of an instance must be text of at most 200"):
        Instance(name, [0.3], 0.5)


@pytest.mark.parametrize("gap", [1e-300, 1e-17])
def test_a_gap_that_rounds_to_nothing_is_told_from_an_arm_at_the_threshold(gap):
    with pytest.raises(ValueError, match=rf"^gap {gap:g} is too small: floats do not tell 0.5"):
        equal_gap(2, gap)


@pytest.mark.parametrize("given", [None, "doses", 3, {"means": [0.2]}])
def test_what_is_no_instance_is_called_that_at_every_entrance(given):
    uses = [
        lambda: bounds.fixed_budget_upper(given, 1.0, 100),
        lambda: bounds.fixed_budget_lower(given, 1.0, 100),
        lambda: bounds.fixed_confidence_upper(given, 1.0, 0.1),
        lambda: bounds.fixed_confidence_lower(given, 1.0, 0.1),
        lambda: simulate.fixed_budget(given, 1.0, [100], 2, 0),
        lambda: simulate.fixed_confidence(given, 1.0, 0.1, 2, 0),
        lambda: exact.fixed_budget_loss(given, 1.0, 10),
        lambda: exact.fixed_confidence_error(given, 1.0, 0.1),
        lambda: rare.fixed_budget_error(given, 1.0, 100, 10, 0),
        lambda: rare.fixed_confidence_error(given, 1.0, 0.1, 10, 0),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=r"^instance must be an Instance, got "):
            use()


@pytest.mark.parametrize("text", ["", '[{"name": "a"}]', '[{"means": [NaN]}]', "[1]", "\xff"])
def test_a_file_without_an_instance_is_called_that(tmp_path, text):
    file = tmp_path / "a.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"does not hold (a list of instances|JSON)"):
        read_instances(file)


def test_repr_says_what_the_problem_is():
    assert repr(DOSES).startswith("Instance('doses', means=(0.05, 0.12,")
    assert repr(DOSES).endswith("threshold=0.3, tolerance=0.02)")
    assert repr(equal_gap(64)) == "Instance('equal-gap-64', 64 arms, threshold=0.5, tolerance=0.0)"
