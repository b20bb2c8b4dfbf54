"""
Strings: which spellings belong together?
=========================================

Names as they were typed, compared by edit distance (the extra ``sequences``), from a text file to a
report. There are no features, no means and no plane of coordinates in the way.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/strings.png'
import tempfile
from pathlib import Path

import numpy as np

import sortal

# %%
# A file with names, some mistyped:

rng = np.random.default_rng(0)
names = ["rotterdam", "copenhagen", "bratislava", "montevideo", "helsinki", "kathmandu"]
letters = list("abcdefghijklmnopqrstuvwxyz")


def typed(name):
    name = list(name)
    for _ in range(rng.integers(0, 3)):
        place = rng.integers(len(name))
        how = rng.integers(3)
        if how == 0:
            name[place] = rng.choice(letters)
        elif how == 1:
            name.insert(place, rng.choice(letters))
        else:
            del name[place]
    return "".join(name)


lines = [typed(name) for name in names for _ in range(12)]
folder = Path(tempfile.mkdtemp())
(folder / "typed.txt").write_text("\n".join(lines))

# %%
# From the file to the answer:

words = (folder / "typed.txt").read_text().splitlines()
study = sortal.Study(words, metric="edit")
study.sweep(["average", "complete", "kmedoids"], k=range(2, 11), n_init=2, workers=1)
print(study.best())

# %%
# The typical spelling of each cluster is the one with the least distance to the others of it:

D, labels = study.X, study.best().labels
for cluster in np.unique(labels):
    own = np.flatnonzero(labels == cluster)
    medoid = own[D[np.ix_(own, own)].sum(axis=1).argmin()]
    print(f"{words[medoid]:<12} {len(own):3d}  e.g. {', '.join(words[i] for i in own[:5])}")

# %%
# A distance of your own is a function of two strings; it is called once for each pair. A study in a
# file does not keep the matrix: it computes it again when it is resumed.


def first_letters(a, b):
    """How many of the first three letters differ."""
    return float(sum(x != y for x, y in zip(a[:3].ljust(3), b[:3].ljust(3), strict=True)))


with sortal.Study(words, metric=first_letters, storage=folder / "letters.sortal") as other:
    other.sweep("average", k=range(2, 9), workers=1)
    print(other.best())

# %%

sortal.write_report(study, folder / "names.html")
