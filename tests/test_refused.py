"""A quantity answers for the whole machine or refuses; `m.tree` has what was refused."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("mass_matrix", "active_mass_matrix"),
        ("gravity", "active_bias"),
        ("coriolis", "active_bias"),
        ("coriolis_matrix", "active_bias"),
        ("bias", "active_bias"),
        ("lagrange_coefficients", "active_mass_matrix"),
        ("regressor", "active_regressor"),
    ],
)
def test_models_of_the_cut_tree_are_refused_with_loops(name, instead):
    m = da.robots.fivebar()
    row = next(r for r in da.catalog() if r.name == name)
    inputs = [np.zeros(m.nv) for _ in row.inputs]
    for call in (lambda: getattr(da, name)(m, *inputs), lambda: da.compile(m, name)):
        with pytest.raises(da.UsageError, match=name) as error:
            call()
        assert instead in error.value.hint and "m.tree" in error.value.hint
    getattr(da, name)(m.tree, *inputs)


def test_the_tree_keeps_masses_drives_springs_and_names():
    m = da.robots.fivebar()
    assert m.tree.loops == () and m.tree.bodies == m.bodies and m.tree.active == m.active
    truck = da.robots.truck()
    assert truck.wheels and not truck.tree.wheels and not truck.tree.speeds


def test_what_to_ask_instead_names_quantities_that_exist():
    told = [row.instead for row in da.catalog() if row.instead]
    assert len(told) > 10
    for text in told:
        assert hasattr(da, text.split()[0].partition("(")[0]), text
