"""``karat`` and ``python -m karat``."""

import atexit
import gc
import sys

__all__ = ["main"]

#: allocations before garbage is looked for: imports make hundreds of thousands of objects that stay
ALLOCATIONS = 100_000


def main() -> None:
    """Run the command line; an interruption while it is being loaded is told, too."""
    gc.set_threshold(ALLOCATIONS, 20, 100)
    atexit.register(_leave)
    try:
        from karat.cli import main as run

        run()
    except KeyboardInterrupt:
        print("karat: interrupted", file=sys.stderr)
        sys.exit(130)


def _leave() -> None:
    """Nothing is looked for when the process ends anyway; but DuckDB tells of what it left."""
    if "duckdb" not in sys.modules:
        gc.freeze()


if __name__ == "__main__":
    main()
