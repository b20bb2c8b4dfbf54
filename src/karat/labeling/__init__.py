"""From a few labels to a classifier: cluster, label central objects, spread, classify.

The labels of central objects train a classifier; they are no random draw, so that no bound of
:mod:`karat.bounds` may rest on them.
"""

from karat.labeling.classifier import FewLabelClassifier
from karat.labeling.medoids import central_objects, spread_labels
from karat.labeling.session import Agreement, LabelSession, Standing, agreement, standing

__all__ = [
    "Agreement",
    "FewLabelClassifier",
    "LabelSession",
    "Standing",
    "agreement",
    "central_objects",
    "spread_labels",
    "standing",
]
