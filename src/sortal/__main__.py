"""``sortal`` and ``python -m sortal``."""

import atexit
import gc
import sys

__all__ = ["main"]

#: limit of cost: allocations between garbage collections: imports create very many lasting objects
ALLOCATIONS = 100_000
#: derived by trial: bytes of address space below which libraries fail to load, or wait forever
LEAST_ADDRESS_SPACE = 2**30


def main() -> None:
    """Run the command line; also reports an interruption while it is loading."""
    gc.set_threshold(ALLOCATIONS, 20, 100)
    atexit.register(_leave)
    _check_address_space()
    try:
        from sortal.cli import main as run

        run()
    except KeyboardInterrupt:
        print("sortal: interrupted", file=sys.stderr)
        sys.exit(130)
    except MemoryError:  # while it is loading
        print("sortal: out of memory; raise the limit (ulimit -v)", file=sys.stderr)
        sys.exit(2)


def _check_address_space() -> None:
    """End the program where the address space is too small."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        least = LEAST_ADDRESS_SPACE >> 10
        print(f"sortal: too little memory; raise the limit (ulimit -v {least})", file=sys.stderr)
        sys.exit(2)


def _leave() -> None:
    """Skip garbage collection at exit, unless DuckDB needs it to close its files."""
    if "duckdb" not in sys.modules:
        gc.freeze()


if __name__ == "__main__":
    main()
