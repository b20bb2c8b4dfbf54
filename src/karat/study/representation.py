"""Which representation of a study's documents brings like ones together, judged once and kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from karat.runtime.validation import InputError
from karat.runtime.version import __version__
from karat.study.representations import representations
from karat.study.stability import from_columns, to_columns
from karat.text import WEIGHTS, TermWeighter, TextVectorizer

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.study import Study

KEY = "representations"
#: numbers of clusters, of which those are taken that leave ten documents to a cluster
NUMBERS = (5, 10, 20)


def judged_representations(study: Study, k: Iterable[int] | None, n_resamples: int) -> pd.DataFrame:
    """The table of :meth:`Study.representations`, as it was kept or made now and kept."""
    if study.metric != "cosine":
        raise InputError(
            "representations are weightings of terms, and embeddings, compared by the cosine; the "
            f"metric of this study is {study.settings.metric}"
        )
    usual = [number for number in NUMBERS if 10 * number <= study.n_objects] or [2]
    numbers = usual if k is None else [int(number) for number in k]
    question = {
        "version": __version__,
        "truth": study.settings.truth,
        "k": numbers,
        "n_resamples": n_resamples,
        "random_state": study.random_state,
    }
    kept = study._store.meta.get(KEY)
    if kept is not None and kept["question"] == question:
        return from_columns(kept["answer"])
    found = representations(
        described(study),
        truth=study.truth,
        k=numbers,
        n_resamples=n_resamples,
        random_state=study.random_state,
    )
    study._store.set_meta({KEY: {"question": question, "answer": to_columns(found)}})
    return found


def kept_representations(study: Study) -> pd.DataFrame | None:
    """What was judged before, where it was."""
    kept = study._store.meta.get(KEY)
    return None if kept is None else from_columns(kept["answer"])


def described(study: Study) -> dict[str, Any]:
    """The documents by every weighting, where there are texts, and by what the study has."""
    data = study.dataset
    if data.texts is None:
        return dict(data.representations)
    given = data.options.get("vectorizer")
    options = given.get_params() if isinstance(given, TextVectorizer) else dict(given or {})
    counted = TextVectorizer(**{**options, "weight": "tf", "norm": None}).fit_transform(data.texts)
    of_bm25 = {name: options[name] for name in ("k1", "b") if name in options}
    out: dict[str, Any] = {
        weight: TermWeighter(weight, **of_bm25).fit_transform(counted) for weight in WEIGHTS
    }
    if data.n_embedded:
        out["embeddings"] = data.representations["embeddings"]
    return out
