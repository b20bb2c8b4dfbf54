"""Plant faults in sortal, one at a time, and count those that no test notices.

``python .ci/mutants.py --each 60 --store`` draws faults in every room (or in those of ``--rooms``)
until each has 60 decided ones, and plants them in a copy of the repository. Each meets the nearest
tests: those of the room, if they run its line, quick ones first, up to ``--seconds`` of them. One
measured run finds them. A fault in a compiled function, which is not measured, meets the tests of
its callers. A fault whose tests take too long is undecided. Faults that change nothing anybody
could see are listed, with the reason, in ``equivalent_mutants.toml``. ``--cases`` adds the cases of
``.ci/cases``, which reach private names, to the tests.

The exit code is 1 if more than a tenth of a room's faults survived, except in rooms that draw and
word (plot, report, cli). ``--changed main`` plants faults only in lines that differ from ``main``.

``--store`` keeps every verdict in ``mutants.json`` at once, and a second run continues there.
``--ledger`` prints what is stored; "fresh" has those that survived when the room's latest seed was
drawn, before tests were written against them. ``--again`` plants the stored survivors again: before
the tests of every room measured in ``--work``, or those of ``--tests FILES``. It takes out what
they notice, and does not count lines that are no more.
cosmic-ray has the operators.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
import tomllib
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from planter import OPTIONS, Planter, nearest, unplant

from faults import ROOT, again, changed_lines, draw, git, places, rooms

EQUIVALENTS = Path(__file__).with_name("equivalent_mutants.toml")
LEDGER = Path(__file__).with_name("mutants.json")
LENIENT = {"plot", "report", "cli"}
LIMIT = 0.1


def prepare(folder: Path) -> None:
    """A copy of what the repository has."""
    copy = folder / "copy"
    unplant(folder / "planted.json")
    if copy.exists():
        return
    for name in filter(None, git("ls-files", "-z", "-c", "-o", "--exclude-standard").split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    if (ROOT.parent / "shared").exists() and not (folder / "shared").exists():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    # what Numba has compiled for these sources need not be compiled for the copy
    from numba.core.caching import _CacheLocator

    for stored in ROOT.glob("**/src/**/__pycache__/*.nb[ci]"):
        beside = copy / stored.relative_to(ROOT).parents[1] / "a.py"
        target = folder / "compiled" / _CacheLocator.get_suitable_cache_subpath(str(beside))
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(stored, target)


def parse() -> argparse.Namespace:
    """What the command was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--each", type=int, default=10, help="decided faults of each room (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--rooms", help="these alone, separated by commas")
    parser.add_argument("--part", default="1/1", help="2/4: every fourth room from the second on")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a fault (300)")
    parser.add_argument("--seconds", type=float, default=30, help="of tests for a fault (30)")
    parser.add_argument(
        "--work",
        type=Path,
        help="folder that keeps the copy and the measured run; new tests alone are measured",
    )
    parser.add_argument("--cases", action="store_true", help="run those of .ci/cases, too")
    parser.add_argument("--changed", metavar="COMMIT", help="only lines that differ from this one")
    parser.add_argument("--store", action="store_true", help="keep the verdicts in mutants.json")
    parser.add_argument("--again", action="store_true", help="plant the stored survivors again")
    parser.add_argument("--tests", nargs="*", default=[], help="files that --again runs instead")
    parser.add_argument("--ledger", action="store_true", help="print what is stored")
    return parser.parse_args()


def main() -> int:
    """Print every fault and a table of the rooms."""
    asked = parse()
    if asked.ledger:
        return table(read_ledger(LEDGER), together=False)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (asked.work or Path(temporary)).resolve()
        prepare(folder)
        only = changed_lines(asked.changed) if asked.changed else None
        ledger = LEDGER if asked.store or asked.again else Path(temporary) / "mutants.json"
        paths = [str(folder / "copy" / part) for part in ("src", "tests", "lab/src", ".ci/cases")]
        sys.path[:0] = paths
        os.environ |= {
            "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(folder / "compiled"),
            # the other core of coverage tells of the first test alone that runs a line
            "COVERAGE_CORE": "ctrace",
        }  # fmt: skip
        (folder / "compiled").mkdir(exist_ok=True)
        os.chdir(folder / "copy")
        all_rooms = rooms(folder / "copy")
        if only is not None:
            all_rooms = {room: files for room, files in all_rooms.items()
                         if any(path in files for path, _ in only)}  # fmt: skip
        chosen = asked.rooms.split(",") if asked.rooms else sorted(all_rooms)
        part, parts = map(int, asked.part.split("/"))
        for room in chosen[part - 1 :: parts]:
            # a room's tests are imported in a process of their own
            if not (child := os.fork()):
                lines = lines_of(folder / "copy", all_rooms[room], only)
                faults = partial(plant_again if asked.again else plant, asked, lines, ledger)
                planter = Planter(folder, room, faults, not asked.again, asked.seconds)
                if asked.again:
                    files = asked.tests or beyond(planter, ledger)
                else:
                    files = nearest(folder / "copy", room, asked.cases)
                if files:
                    pytest.main([*OPTIONS, f"--basetemp={folder / 'tmp'}", *files], [planter])
                os._exit(0)
            os.waitpid(child, 0)
        return table(read_ledger(ledger), together=only is not None)


def lines_of(
    root: Path, files: list[Path], only: set[tuple[Path, int]] | None
) -> list[tuple[Path, int]]:
    """Lines in which a fault can be planted."""
    lines = [(path, line) for path in files for line in sorted(places(root, path))]
    return [line for line in lines if only is None or line in only]


def plant(
    asked: argparse.Namespace, lines: list[tuple[Path, int]], ledger: Path, planter: Planter
) -> None:
    """Fill the room's entry of the ledger."""
    room, seed = planter.room, asked.seed
    equivalent = equivalents()
    entry = {
        "room": room, "seed": seed, "drawn": 0, "decided": 0, "undecided": [],
        "equivalent": 0, "survivors": [], "noticed_since": [],
    }  # fmt: skip
    for stored in read_ledger(ledger):
        entry = stored if (stored["room"], stored["seed"]) == (room, seed) else entry
    excuse(entry)
    for number, mutant in enumerate(draw(planter.copy, lines, f"{seed} {room}")):
        if number < entry["drawn"]:
            continue
        if entry["decided"] >= asked.each:
            break
        entry["drawn"] += 1
        entry |= {"date": date.today().isoformat(), "commit": git("rev-parse", "HEAD")[:8]}
        if (str(mutant.path), mutant.before, mutant.after) in equivalent:
            entry["equivalent"] += 1
        else:
            tests, begun = planter.that_run(mutant), time.monotonic()
            alive = planter.survives(mutant, tests, asked.timeout)
            word = {True: "SURVIVED", False: "noticed", None: "undecided"}[alive]
            took = f"{len(tests)} tests, {time.monotonic() - begun:.1f} s"
            print(f"{word} ({took}): {mutant.path}:{mutant.line}")
            print(f"  - {mutant.before}\n  + {mutant.after}", flush=True)
            entry["decided"] += alive is not None
            if alive is not False:
                entry["survivors" if alive else "undecided"].append(mutant.entry)
        kept = [e for e in read_ledger(ledger) if (e["room"], e["seed"]) != (room, seed)]
        write_ledger(ledger, [*kept, entry])


def equivalents() -> set[tuple[str, str, str]]:
    """File, line before and line after of the faults that change nothing anybody could see."""
    listed = tomllib.loads(EQUIVALENTS.read_text(encoding="utf8")).get("mutant", [])
    return {(one["file"], one["before"], one["after"]) for one in listed}


def excuse(entry: dict) -> None:
    """Count survivors as equivalent that were listed since."""
    known = equivalents()
    for survivor in list(entry["survivors"]):
        file = survivor["at"].rsplit(":", 1)[0]
        if (file, survivor["before"], survivor["after"]) in known:
            entry["survivors"].remove(survivor)
            entry |= {"decided": entry["decided"] - 1, "equivalent": entry["equivalent"] + 1}


def beyond(planter: Planter, ledger: Path) -> list[str]:
    """Files with tests of any measured room that run a line of the room's stored survivors."""
    for room in rooms(planter.copy):
        if (kept := planter.folder / f"{room}.json").exists():
            planter.load(kept)
    tests = set()
    for entry in (entry for entry in read_ledger(ledger) if entry["room"] == planter.room):
        for survivor in entry["survivors"]:
            if mutant := again(planter.copy, survivor):
                tests |= set(planter.that_run(mutant))
    return sorted({test.split("::")[0] for test in tests})


def plant_again(
    asked: argparse.Namespace, _: list[tuple[Path, int]], ledger: Path, planter: Planter
) -> None:
    """Plant the stored survivors; the ledger moves those that the tests notice now."""
    entries = read_ledger(ledger)
    for entry in (entry for entry in entries if entry["room"] == planter.room):
        excuse(entry)
        write_ledger(ledger, entries)
        for survivor in list(entry["survivors"]):
            mutant = again(planter.copy, survivor)
            if mutant is None:
                print("no more in the code", survivor["at"], flush=True)
                entry["survivors"].remove(survivor)
                entry |= {"decided": entry["decided"] - 1, "gone": entry.get("gone", 0) + 1}
            else:
                tests = planter.that_run(mutant) if not asked.tests else list(planter.items)
                alive = planter.survives(mutant, tests, asked.timeout)
                print("noticed" if alive is False else "still there", survivor["at"], flush=True)
                if alive is False:
                    entry["survivors"].remove(survivor)
                    entry["noticed_since"].append(survivor)
            write_ledger(ledger, entries)


def table(entries: list[dict], together: bool) -> int:
    """Print what came of each room; 1 if too many faults survived in some."""
    keys = ("decided", "survivors", "noticed_since", "undecided", "equivalent")
    print(f"\n{'room':<12}{'date':<12}" + "".join(f"{key:>15}" for key in [*keys, "fresh"]))
    strict, fresh = [], [0, 0]
    for room in sorted({entry["room"] for entry in entries}):
        of_room = [entry for entry in entries if entry["room"] == room]
        sums = {
            key: sum(e[key] if isinstance(e[key], int) else len(e[key]) for e in of_room)
            for key in keys
        }
        last = max(of_room, key=lambda entry: (entry["date"], entry["seed"]))
        unseen = len(last["survivors"]) + len(last["noticed_since"])
        fresh = [fresh[0] + unseen, fresh[1] + last["decided"]]
        print(
            f"{room:<12}{last['date']:<12}"
            + "".join(f"{sums[key]:>15}" for key in keys)
            + f"{unseen:>8} of {last['decided']:>3}"
        )
        if room not in LENIENT:
            strict.append((sums["survivors"], sums["decided"]))
    print(f"fresh faults that survived: {fresh[0]} of {fresh[1]}")
    if together:
        # of a few faults in the lines of one change, one may survive
        return int(sum(s for s, _ in strict) > max(1, LIMIT * sum(d for _, d in strict)))
    return int(any(survivors > LIMIT * decided for survivors, decided in strict))


def read_ledger(ledger: Path) -> list[dict]:
    """The stored entries."""
    return json.loads(ledger.read_text("utf-8")) if ledger.exists() else []


def write_ledger(ledger: Path, entries: list[dict]) -> None:
    """Store the entries, the rooms in order."""
    entries.sort(key=lambda entry: (entry["room"], entry["seed"]))
    new = ledger.with_suffix(".new")
    new.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    new.replace(ledger)


if __name__ == "__main__":
    sys.exit(main())
