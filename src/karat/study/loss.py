"""What fitting to a sample loses: the same clusterer fitted to another sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat import __version__
from karat.clusterers import Clusterer
from karat.measures.external.pairs import adjusted_rand_index
from karat.study import large, work
from karat.study.store import Planned
from karat.study.sweeping import Swept
from karat.validation import InputError

if TYPE_CHECKING:
    from karat.study.study import Study


def sample_agreement(study: Study, candidate: dict[str, Any], clusterer: Clusterer) -> float:
    """Adjusted Rand index on all objects between a candidate and its fit to a second sample.

    The second sample is drawn independently of the first and is as large; it is fitted with the
    same seed and extended in the same way. What was found is kept in the study.
    """
    key = _key(candidate["partition"])
    kept = study._store.meta.get(key)
    if kept is not None and kept["version"] == __version__:
        return float(kept["value"])
    data, metric = study._points
    seed = work.derived_seed(study.random_state, "second sample of the objects")
    rows = large.draw_rows(study.n_objects, candidate["fitted_on"], seed)
    fitted = study.fitting([Swept(clusterer, None)], {})[0][0]
    planned = Planned(
        *(candidate[one] for one in ("name", "clusterer", "parameter", "value", "start", "seed"))
    )
    sample = large.Sample(rows, large.nearest_sampled(data, rows, metric))
    part, sizes = large.part_of(data, rows, metric), None
    if large.uses_cells(data, fitted, metric):
        part, sizes = large.cells_of(data, sample)
    found = work.run_job(part, work.Job(fitted, (planned,), sizes))[0]
    if found.labels is None:
        raise InputError(f"{candidate['name']} failed on a second sample: {found.reason}")
    again = sample.extend(found.labels)
    value = adjusted_rand_index(study.labels(candidate["name"]), again, noise="cluster")
    study._store.set_meta({key: {"version": __version__, "value": float(value)}})
    return float(value)


def kept_agreement(study: Study, partition: str) -> float | None:
    """What was found before of a partition, where it was."""
    kept = study._store.meta.get(_key(partition))
    return None if kept is None else float(kept["value"])


def sentence(value: float, fitted_on: int) -> str:
    """What the agreement of two samples says."""
    if value >= 0.95:
        told = "nearly the same clusters"
    elif value >= 0.75:
        told = "similar clusters"
    else:
        told = "other clusters: do not rely on these, or fit to all objects (exact=True, --exact)"
    return (
        f"Fitted to {fitted_on:,} other objects it finds {told} (adjusted Rand index "
        f"{value:.2f} on all objects)."
    )


def _key(partition: str) -> str:
    return f"sample agreement {partition}"
