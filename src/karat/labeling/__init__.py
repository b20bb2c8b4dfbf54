"""Few labels: a team's answers in a file, what they guarantee, and classifiers from them.

The labels of central objects train a classifier; they are no random draw, so that no bound of
:mod:`karat.bounds` may rest on them. In :mod:`karat.labeling.reading` people and models name
clusters.
"""

from karat.labeling.agreement import Agreement, agreement
from karat.labeling.answers import Answer, AnswerFile, taught_rows
from karat.labeling.classifier import FewLabelClassifier
from karat.labeling.desk import Desk, Objects, Shown
from karat.labeling.exchange import export_labels, import_labels
from karat.labeling.medoids import central_objects, spread_labels
from karat.labeling.session import UNKNOWN, LabelSession, variant_of
from karat.labeling.standing import Standing, Watch
from karat.labeling.teaching import teaching_objects

__all__ = [
    "UNKNOWN",
    "Agreement",
    "Answer",
    "AnswerFile",
    "Desk",
    "FewLabelClassifier",
    "LabelSession",
    "Objects",
    "Shown",
    "Standing",
    "Watch",
    "agreement",
    "central_objects",
    "export_labels",
    "import_labels",
    "spread_labels",
    "taught_rows",
    "teaching_objects",
    "variant_of",
]
