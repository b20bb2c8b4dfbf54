"""The same call gives the same answer, unless it is asked to draw."""

from __future__ import annotations

import importlib
import inspect

import pytest

#: they draw for the user, so the default is to draw anew
DRAWS = {"sample", "draw_reference"}
ROOMS = [
    "sortal",
    "sortal.bounds",
    "sortal.measures.clarity",
    "sortal.datasets",
    "sortal.measures",
    "sortal.distances.neighbors",
    "sortal.meaning",
    "sortal.plot",
    "sortal.stability",
]


def seeded() -> dict[str, object]:
    found = {}
    for room in map(importlib.import_module, ROOMS):
        for name in getattr(room, "__all__", dir(room)):
            one = getattr(room, name)
            if inspect.isfunction(one) and "random_state" in inspect.signature(one).parameters:
                found[name] = inspect.signature(one).parameters["random_state"].default
    return found


@pytest.mark.parametrize(("name", "default"), seeded().items())
def test_defaults_of_random_state(name: str, default: object) -> None:
    if default is inspect.Parameter.empty:
        pytest.skip("it has to be given")
    assert default == (None if name in DRAWS else 0)


def test_functions_are_found() -> None:
    assert len(seeded()) > 20
    assert seeded().keys() >= DRAWS | {"gap_statistic", "evaluate", "pac_mdl_bound"}


def test_the_same_thing_has_the_same_number() -> None:
    import sortal

    for function in (
        sortal.permutation_test,
        sortal.chance_corrected,
        sortal.chance_corrected_internal,
    ):
        assert inspect.signature(function).parameters["n_permutations"].default == 1000
