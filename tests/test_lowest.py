"""The lowest versions that are tested are those that pyproject.toml declares."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "lowest.py"


@pytest.fixture(scope="module")
def lowest():
    spec = importlib.util.spec_from_file_location("lowest", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_bounds_become_pins(lowest):
    project = {
        "dependencies": ["numpy>=2.2", "scikit-learn >= 1.7.2"],
        "optional-dependencies": {"test": ["pytest>=8", "numpy>=2.2"]},
    }
    assert lowest.lowest(project) == ["numpy==2.2", "pytest==8", "scikit-learn==1.7.2"]


@pytest.mark.parametrize(
    "line", ["numpy", "numpy==2.2", "numpy>=2,<3", "numpy>=2; python_version>'3'"]
)
def test_what_has_no_single_lower_bound_is_an_error(lowest, line):
    with pytest.raises(SystemExit, match="name>=version"):
        lowest.lowest({"dependencies": [line]})


def test_two_lower_bounds_of_one_package_are_an_error(lowest):
    with pytest.raises(SystemExit, match="numpy has two lower bounds"):
        lowest.lowest({"dependencies": ["numpy>=2.2", "numpy>=2.3"]})


def test_the_script_reads_pyproject(capsys, lowest):
    import tomllib

    project = tomllib.loads((SCRIPT.parents[1] / "pyproject.toml").read_text())["project"]
    pins = lowest.lowest(project)
    assert len(pins) >= len(project["dependencies"])
    assert any(pin.startswith("pandas==2.2") for pin in pins)
