"""One answer for the number of clusters: its probabilities and its sentence."""

from __future__ import annotations

import pandas as pd

from sortal.study.number_of_clusters import NumberOfClusters


def test_the_sentence_names_what_else_it_may_be():
    shares = pd.Series([0.05, 0.55, 0.3, 0.1], index=pd.Index([1, 2, 3, 4], name="k"))
    assert repr(NumberOfClusters(2, shares, pd.DataFrame())) == "2 clusters (55 %), or 3 (30 %)."
