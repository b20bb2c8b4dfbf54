"""Few labels: a team's answers in a file, and what they guarantee."""

from sortal.labeling.agreement import Agreement, agreement
from sortal.labeling.answers import AnswerFile, LabelAnswer, check_name, taught_rows
from sortal.labeling.desk import Desk, Shown, ShownObjects
from sortal.labeling.doubts import LabelDoubt, LabelTeacher
from sortal.labeling.exchange import export_labels, import_labels
from sortal.labeling.medoids import central_objects
from sortal.labeling.page import LabelPage, PageAnswer
from sortal.labeling.selection import teaching_objects
from sortal.labeling.session import UNKNOWN, LabelSession, variant_of
from sortal.labeling.watch import Standing, Watch, drawn_labels

__all__ = [
    "UNKNOWN",
    "Agreement",
    "AnswerFile",
    "Desk",
    "LabelAnswer",
    "LabelDoubt",
    "LabelPage",
    "LabelSession",
    "LabelTeacher",
    "PageAnswer",
    "Shown",
    "ShownObjects",
    "Standing",
    "Watch",
    "agreement",
    "central_objects",
    "check_name",
    "drawn_labels",
    "export_labels",
    "import_labels",
    "taught_rows",
    "teaching_objects",
    "variant_of",
]
