"""The tree of splits on planted trees of groups: splits that are found, and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import assess_structure
from sortal.measures import adjusted_rand_index
from sortal.study import Split, split_tree
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from sortal.typing import Floats, Ints

#: objects, columns, and standard deviations between siblings at each level of the known trees
N, D, APART = 1_200, 10, (12.0, 6.0, 4.0)
#: trees of these, and trees of other sizes and distances
TREES, OTHERS = 10, 30
SIZES, FIRST_LEVEL, LAST_LEVEL = (150, 250, 400, 700, 1_000), (5.0, 10.0), (2.5, 5.0)
#: share of a node's objects from which on a planted group is in it
INSIDE = 0.1
#: overlap of two nodes and agreement of their divisions from which on they are one split: the best
#: rule for groups 4 standard deviations apart has an agreement of .91
SAME_NODE, SAME_SPLIT = 0.9, 0.8


def run(
    *,
    name: str = "splits",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Splits of planted trees that are found, splits besides, and what their probabilities say.

    ``samples``: trees of three levels, and of other trees; 10 and 30 by default.

    Returns a row for each level and each tenth of the probability of a split.
    """
    import pandas as pd

    journal = Journal(storage, f"random_state {random_state!r}")
    trees, nodes = [], []
    for kind, number in (("three levels", samples or TREES), ("other", samples or OTHERS)):
        for seed in range(number):
            result: Any = journal.get((kind, str(seed)))
            if result is None:
                result = of_tree(kind, np.random.default_rng([random_state, seed, len(kind)]))
                journal.put((kind, str(seed)), result)
            trees.append({"kind": kind, **{k: v for k, v in result.items() if k != "nodes"}})
            nodes += [dict(zip(NODE, node, strict=True)) for node in result["nodes"]]
            if progress is not None:
                progress(f"{kind}, tree {seed}")
    table, of_nodes = pd.DataFrame(trees), pd.DataFrame(nodes, columns=list(NODE))
    single = of_nodes[~of_nodes["divided"].astype(bool)]
    return ExperimentResult(
        name,
        pd.concat([_of_trees(table), _reliability(of_nodes)], ignore_index=True),
        (
            f"{100 * (single['probability'] >= 0.5).mean():.1f} % of {len(single)} nodes that are "
            "single groups are divided.",
            f"Trees of three levels have {N:,} objects in {D} columns, two or three children at "
            "each node, and normal groups; "
            f"siblings are {', '.join(f'{a:g}' for a in APART)} standard deviations apart. A split "
            f"is right if its node has {SAME_NODE:.0%} of the objects of the planted one, and its "
            f"children agree with the planted ones (adjusted Rand index {SAME_SPLIT:g}).",
            "The others have one or two levels, unequal spread or heavy tails. The probabilities "
            "are those of all nodes but the first.",
        ),
    )


#: what is kept of each node: its probability, and whether it has two planted groups or more
NODE = ("probability", "divided")


def of_tree(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """Splits of one planted tree, found and besides, and all its nodes but the first."""
    if kind == "three levels":
        X, paths = planted(APART, N, D, rng)
    else:
        n, d = int(rng.choice(SIZES)), int(rng.choice([4, 6, 10, 20]))
        levels = (FIRST_LEVEL, LAST_LEVEL)[int(rng.integers(2)) :]
        X, paths = planted([rng.uniform(*ends) for ends in levels], n, d, rng, uneven=True)
    order = np.lexsort(X.T)
    X, paths = X[order], paths[order]
    root = split_tree(X, "euclidean", assess_structure(X)).root
    shown = [*divisions(root)]
    wanted = [*planted_splits(paths, root.objects)]
    hits = sum(any(is_same(split, *one) for split in shown) for one in wanted)
    leaves = np.unique(paths, axis=0, return_inverse=True)[1].ravel()
    nodes = [
        (node.probability, int(_n_inside(leaves[node.objects]) > 1))
        for node in root
        if node is not root and node.probability > 0
    ]
    return {"planted": len(wanted), "right": hits, "besides": len(shown) - hits, "nodes": nodes}


def _n_inside(leaves: Ints) -> int:
    """Number of planted groups that are in a node."""
    return int((np.bincount(leaves) >= INSIDE * len(leaves)).sum())


def planted(
    apart: Any, n: int, d: int, rng: np.random.Generator, *, uneven: bool = False
) -> tuple[Floats, Ints]:
    """Objects of a tree of groups, and the child of each object at each level.

    The children of a node are at one distance from each other, in directions of their level.
    """
    centres, paths = np.zeros((1, d)), np.zeros((1, 0), dtype=np.int64)
    for level, distance in enumerate(apart):
        above, centres_above = paths, centres
        centres_of, paths_of = [], []
        for path, centre in zip(above, centres_above, strict=True):
            k = int(rng.choice([2, 3]))
            angles = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(k) / k
            radius = distance / (2 * np.sin(np.pi / k))
            moved = np.tile(centre, (k, 1))
            moved[:, 2 * level] += radius * np.cos(angles)
            moved[:, 2 * level + 1] += radius * np.sin(angles)
            centres_of.append(moved)
            paths_of.append(np.column_stack([np.tile(path, (k, 1)), np.arange(k)]))
        centres, paths = np.concatenate(centres_of), np.concatenate(paths_of)
    leaf = np.arange(n) % len(centres)
    noise = rng.normal(size=(n, d))
    if uneven:
        noise *= rng.uniform(0.6, 1.3, len(centres))[leaf][:, None]
        if rng.random() < 0.5:
            noise *= np.sqrt(4 / rng.chisquare(6, size=n))[:, None]
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return (centres[leaf] + noise) @ turn, paths[leaf]


def planted_splits(paths: Ints, objects: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Objects of each planted split, of those in a tree, and the child of each."""
    of = paths[objects]
    for level in range(paths.shape[1]):
        known = np.column_stack([np.zeros(len(of), dtype=np.int64), of[:, :level]])
        node = np.unique(known, axis=0, return_inverse=True)[1].ravel()
        for place in range(int(node.max()) + 1):
            inside = node == place
            yield objects[inside], of[inside, level]


def divisions(node: Split) -> Iterator[Split]:
    """The splits above one half, all of whose ancestors are."""
    if node.divides:
        yield node
        for child in node.children:
            yield from divisions(child)


def is_same(split: Split, objects: Ints, children: Ints) -> bool:
    """Whether a split of the tree is a planted one."""
    both = np.intersect1d(split.objects, objects)
    if len(both) < SAME_NODE * len(np.union1d(split.objects, objects)):
        return False
    size = 1 + max(int(split.objects.max()), int(objects.max()))
    ours, theirs = np.full(size, -1), np.full(size, -1)
    theirs[objects] = children
    for i, child in enumerate(split.children):
        ours[child.objects] = i
    return float(adjusted_rand_index(theirs[both], ours[both])) >= SAME_SPLIT


def _of_trees(trees: pd.DataFrame) -> pd.DataFrame:
    """A row for each kind of tree."""
    import pandas as pd

    return pd.DataFrame([
        {
            "of": kind,
            "number": len(part),
            "all right, none besides": float(
                ((part["right"] == part["planted"]) & (part["besides"] == 0)).mean()
            ),
            "splits right": float(part["right"].sum() / part["planted"].sum()),
            "besides": float(part["besides"].mean()),
        }
        for kind, part in trees.groupby("kind", sort=False)
    ])  # fmt: skip


def _reliability(nodes: pd.DataFrame) -> pd.DataFrame:
    """A row for each tenth of the probability: said, and true."""
    import pandas as pd

    tenth = np.minimum((10 * nodes["probability"]).astype(int), 9)
    return pd.DataFrame([
        {
            "of": f"probability from {place / 10:.1f}",
            "number": len(part),
            "said": float(part["probability"].mean()),
            "true": float(part["divided"].mean()),
        }
        for place, part in ((p, nodes[tenth == p]) for p in np.unique(tenth))
    ])  # fmt: skip
