"""Compile the kernels for the tests, each once: workers that start together would all compile them.

``python .ci/kernels.py`` compiles what Numba's cache lacks, by the argument types of
``kernels.json``; a kernel or a type that is gone is skipped. After a run of all tests,
``--write`` stores the types that the cache has.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from numba import types
from numba.core.registry import CPUDispatcher

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).with_suffix(".json")
FOLDERS = {"sortal._kernels": "src/sortal/_kernels", "sortal_lab": "lab/src/sortal_lab"}


def to_json(kind: types.Type) -> Any:
    """Return a type of Numba: arrays as ``float64[2C]``, tuples as lists after their class."""
    if isinstance(kind, types.Array):
        return f"{kind.dtype}[{kind.ndim}{kind.layout}{'' if kind.mutable else ' readonly'}]"
    if isinstance(kind, types.BaseTuple):
        of = getattr(kind, "instance_class", tuple)
        return [f"{of.__module__}.{of.__name__}", *map(to_json, kind.types)]
    if isinstance(kind, types.Literal):
        return {"literal": kind.literal_value}
    return str(kind)


def from_json(stored: Any) -> types.Type:
    """Return the type that ``to_json`` wrote."""
    if isinstance(stored, dict):
        return types.literal(stored["literal"])
    if isinstance(stored, list):
        module, _, name = stored[0].rpartition(".")
        of, members = getattr(import_module(module), name), list(map(from_json, stored[1:]))
        return types.Tuple(members) if of is tuple else types.BaseTuple.from_types(members, of)
    name, _, form = stored.removesuffix("]").partition("[")
    if not form:
        return getattr(types, name)
    readonly = form.endswith(" readonly")
    return types.Array(getattr(types, name), int(form[0]), form[1], readonly=readonly)


def kernels(module: str) -> dict[str, CPUDispatcher]:
    """Public kernels of a module; the others are compiled with them."""
    return {
        name: value
        for name, value in vars(import_module(module)).items()
        if isinstance(value, CPUDispatcher)
        and value.py_func.__module__ == module
        and not name.startswith("_")
    }


def compile_module(module: str, stored: dict[str, list[Any]]) -> int:
    """Compile the kernels of a module; the number of those that the cache lacked."""
    try:
        known = kernels(module)
    except ImportError:
        return 0
    for name, signatures in stored.items():
        for signature in signatures:
            if name not in known:
                continue
            try:
                known[name].compile(tuple(map(from_json, signature)))
            except Exception as error:  # a kernel takes other arguments by now
                print(f"{module}.{name}: {type(error).__name__}", file=sys.stderr)
    return sum(sum(kernel.stats.cache_misses.values()) for kernel in known.values())


def cached() -> dict[str, dict[str, list[Any]]]:
    """Return the argument types in Numba's cache, by module and kernel."""
    answer: dict[str, dict[str, list[Any]]] = {}
    for package, folder in FOLDERS.items():
        for path in sorted((ROOT / folder / "__pycache__").glob("*.nbi")):
            module, name = path.name.rsplit("-", 1)[0].split(".", 1)
            module = f"{package}.{module}"
            if name not in kernels(module):
                continue
            with path.open("rb") as file:
                pickle.load(file)  # Numba's version
                _, overloads = pickle.loads(file.read())
            signatures = [[to_json(kind) for kind in signature] for signature, *_ in overloads]
            answer.setdefault(module, {})[name] = sorted(signatures, key=json.dumps)
    return answer


def main() -> None:
    """Compile, or store what the cache has."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="store the types that the cache has")
    if parser.parse_args().write:
        lines = (
            f" {json.dumps(module)}: {{\n"
            + ",\n".join(f"  {json.dumps(name)}: {json.dumps(of[name])}" for name in sorted(of))
            + "\n }"
            for module, of in sorted(cached().items())
        )
        STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        return
    stored = json.loads(STORED.read_text("utf-8"))
    # the longest modules first
    order = sorted(stored, key=lambda module: -len(json.dumps(stored[module])))
    with ProcessPoolExecutor(min(os.cpu_count() or 1, 8)) as pool:
        compiled = sum(pool.map(compile_module, order, map(stored.get, order)))
    print(f"{compiled} kernels compiled")


if __name__ == "__main__":
    main()
