"""What ``make setup`` compiles are kernels that are there, by types that Numba knows."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "kernels.py"


@pytest.fixture(scope="module")
def kernels():
    spec = importlib.util.spec_from_file_location("kernels", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stored_types_are_those_of_kernels(kernels):
    stored = json.loads(kernels.STORED.read_text("utf-8"))
    for module, signatures in stored.items():
        if module.startswith("sortal_lab"):
            pytest.importorskip("sortal_lab", reason="the laboratory has kernels too")
        names = kernels.kernels(module)
        assert set(signatures) <= set(names), module
        for name in signatures:
            for signature in signatures[name]:
                types = list(map(kernels.from_json, signature))
                assert list(map(kernels.to_json, types)) == signature, name


def test_a_kernel_that_is_gone_is_skipped(kernels, capsys):
    assert kernels.compile_module("sortal._kernels.nothing", {"f": [["int64"]]}) == 0
    assert kernels.compile_module("sortal._kernels.dip", {"nothing": [["int64"]]}) == 0
    assert not capsys.readouterr().err
    kernels.compile_module("sortal._kernels.dip", {"dip": [["int64", "int64", "int64"]]})
    assert "dip: " in capsys.readouterr().err
