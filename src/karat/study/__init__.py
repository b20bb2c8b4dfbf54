"""Try many clusterings, store them, judge them all at once, choose one and say why."""

from karat.runtime.validation import NothingToRankError, StorageError
from karat.study.alternatives import Alternatives
from karat.study.answer import Answer
from karat.study.differences import kept_differences, thinned_parts
from karat.study.divisions import Alternative
from karat.study.fits import DEFAULT_CLUSTERERS
from karat.study.scores import NO_LABELS
from karat.study.stability import kept_assessment
from karat.study.study import Study, load_study

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
    "thinned_parts",
]
