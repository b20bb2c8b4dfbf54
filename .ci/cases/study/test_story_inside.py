"""What a thoughtful statistician would say of data that people bring, asserted on the facts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

import sortal
from sortal.study.wording import screen


def test_a_column_of_categories_is_one_column():
    rows = np.arange(40)
    answers = np.array(["never", "often", "always"])
    table = pd.DataFrame({"size": rows % 2 * 9 + rows / 40, "asked": answers[rows % 2 * 2]})
    table.loc[:3, "asked"] = "often"
    study = sortal.Study(table)
    study.add({"halves": rows % 2})
    assert (study.X.shape[1], study.best().n_columns) == (4, 2)
    assert screen.data_line(study.best()).startswith("data: 40 rows, 2 columns;")
    graph = sortal.Study(squareform(pdist(rows[:, None])), metric="precomputed")
    graph.add({"halves": rows % 2})
    assert graph.best().n_columns == 0
