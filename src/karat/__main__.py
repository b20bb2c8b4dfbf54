"""``karat`` and ``python -m karat``."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interruption while it is being loaded is told, too."""
    try:
        from karat.cli import main as run

        run()
    except KeyboardInterrupt:
        print("karat: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
