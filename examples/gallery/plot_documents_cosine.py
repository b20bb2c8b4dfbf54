"""
Term counts: what are these documents about?
============================================

Counts of 8,261 terms in 690 newswire documents (TREC's tr45), compared by the angle between them,
from a sparse matrix in a file to a report. Nothing is made dense.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/documents.png'
import os
import tempfile
from pathlib import Path

import sortal

folder = Path(os.environ.get("SORTAL_DATA", "")) / "terms"
report = Path(tempfile.mkdtemp()) / "tr45.html"

# %%
# On the command line this is ``sortal run tr45.npz --metric cosine --report tr45.html``. Means of
# directions take the cosine; k-means works on rows of length 1, and its name says so.

if not (folder / "tr45.npz").exists():
    print(f"tr45.npz is not in {folder}; set SORTAL_DATA to the folder of the collections")
else:
    study = sortal.Study(sortal.datasets.read(folder / "tr45.npz"), metric="cosine")
    study.sweep(k=[5, 10, 15], n_init=1)
    print(study.best())
    sortal.write_report(study, report)

# %%
# The scores do not mix distances: measures of means are those of the unit rows, too.

if (folder / "tr45.npz").exists():
    print(study.scores()[["silhouette", "davies_bouldin_index"]].dropna().round(3).to_string())
