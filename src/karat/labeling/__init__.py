"""Few labels: a team's answers in a file, and what they guarantee."""

from karat.labeling.agreement import Agreement, agreement
from karat.labeling.answers import AnswerFile, LabelAnswer, taught_rows
from karat.labeling.desk import Desk, Shown, ShownObjects
from karat.labeling.doubts import LabelDoubt
from karat.labeling.exchange import export_labels, import_labels
from karat.labeling.medoids import central_objects
from karat.labeling.selection import teaching_objects
from karat.labeling.session import UNKNOWN, LabelSession, variant_of
from karat.labeling.watch import Standing, Watch, drawn_labels

__all__ = [
    "UNKNOWN",
    "Agreement",
    "AnswerFile",
    "Desk",
    "LabelAnswer",
    "LabelDoubt",
    "LabelSession",
    "Shown",
    "ShownObjects",
    "Standing",
    "Watch",
    "agreement",
    "central_objects",
    "drawn_labels",
    "export_labels",
    "import_labels",
    "taught_rows",
    "teaching_objects",
    "variant_of",
]
