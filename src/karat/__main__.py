"""``karat`` and ``python -m karat``."""

import atexit
import gc
import sys

__all__ = ["main"]

#: allocations between garbage collections: imports create hundreds of thousands of lasting objects
ALLOCATIONS = 100_000


def main() -> None:
    """Run the command line; also reports an interruption while it is loading."""
    gc.set_threshold(ALLOCATIONS, 20, 100)
    atexit.register(_leave)
    try:
        from karat.cli import main as run

        run()
    except KeyboardInterrupt:
        print("karat: interrupted", file=sys.stderr)
        sys.exit(130)


def _leave() -> None:
    """Skip garbage collection at exit, unless DuckDB needs it to close its files."""
    if "duckdb" not in sys.modules:
        gc.freeze()


if __name__ == "__main__":
    main()
