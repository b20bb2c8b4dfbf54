"""Run every benchmark in this folder, but those that take an hour."""

from __future__ import annotations

import importlib
import pkgutil

import benchmarks

LONG = {"coverage"}


def main() -> None:
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if not module.name.startswith("_"):
            print(f"\n== {module.name} ==")
            if module.name in LONG:
                print(f"takes an hour: python -m benchmarks.{module.name}")
                continue
            importlib.import_module(f"benchmarks.{module.name}").main()


if __name__ == "__main__":
    main()
