"""Try many clusterings, store them, judge them all at once, choose one and say why."""

from sortal.runtime.validation import NothingToRankError, StorageError
from sortal.study.alternatives import Alternatives
from sortal.study.answer import Answer
from sortal.study.differences import kept_differences, thinned_parts
from sortal.study.divisions import Alternative
from sortal.study.fits import DEFAULT_CLUSTERERS
from sortal.study.ranking import ChoiceSettings, by_expected_agreement, level_numbers
from sortal.study.scores import NO_LABELS
from sortal.study.splits import Split, SplitSettings, SplitTree, split_tree
from sortal.study.stability import kept_assessment
from sortal.study.store import Finished, Planned, Score, Store
from sortal.study.study import Study, load_study

__all__ = [
    "DEFAULT_CLUSTERERS",
    "NO_LABELS",
    "Alternative",
    "Alternatives",
    "Answer",
    "ChoiceSettings",
    "Finished",
    "NothingToRankError",
    "Planned",
    "Score",
    "Split",
    "SplitSettings",
    "SplitTree",
    "StorageError",
    "Store",
    "Study",
    "by_expected_agreement",
    "kept_assessment",
    "kept_differences",
    "level_numbers",
    "load_study",
    "split_tree",
    "thinned_parts",
]
