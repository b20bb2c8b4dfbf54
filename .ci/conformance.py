"""Fail where a package's measure differs from sortal's without a reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

UNEXPLAINED, LEAST_COMPARED = "unexplained", 250


def problems(result: dict) -> list[str]:
    """Sentences on differences without a reason, and on a comparison that hardly ran."""
    rows = result["table"]
    out = [f"{row} has no reason" for row in rows if row["verdict"] == UNEXPLAINED]
    compared = sum(row["verdict"] not in ("not run", "not in sortal") for row in rows)
    if compared < LEAST_COMPARED:
        out.append(f"{compared} values were compared; {LEAST_COMPARED} are expected")
    return out


if __name__ == "__main__":
    wrong = problems(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    print(*(wrong or ["Every difference has a reason."]), sep="\n")
    sys.exit(bool(wrong))
