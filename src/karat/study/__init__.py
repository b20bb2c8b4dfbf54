"""Try many clusterings, keep them, judge them all at once, choose one and say why."""

from karat.runtime.validation import NothingToRankError, StorageError
from karat.study.alternatives import Alternative, Alternatives
from karat.study.answer import Answer
from karat.study.differing import kept_differences, study_parts, why_untested
from karat.study.scoring import NO_LABELS
from karat.study.stability import kept_assessment
from karat.study.study import Study, load_study
from karat.study.trying import DEFAULT_CLUSTERERS

__all__ = [
    "DEFAULT_CLUSTERERS",
    "NO_LABELS",
    "Alternative",
    "Alternatives",
    "Answer",
    "NothingToRankError",
    "StorageError",
    "Study",
    "kept_assessment",
    "kept_differences",
    "load_study",
    "study_parts",
    "why_untested",
]
