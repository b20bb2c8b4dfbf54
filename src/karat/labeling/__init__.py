"""From a few labels to a classifier: cluster, label central objects, spread, classify.

The labels of central objects train a classifier; they are no random draw, so that no bound of
:mod:`karat.bounds` may rest on them.
"""

from karat.labeling.classifier import FewLabelClassifier
from karat.labeling.medoids import central_objects, spread_labels

__all__ = ["FewLabelClassifier", "central_objects", "spread_labels"]
