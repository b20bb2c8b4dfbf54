"""Where ``karat run`` counts questions about the labels."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from karat.runtime.user_folder import state_folder
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.study import Study


def count_questions(study: Study, data: str, truth: str | None) -> None:
    """Count the study's guarantee with the other questions about the labels of a part.

    The count is beside the file of the labels, or of the data that have them as a column.
    """
    from karat.datasets import read_labels

    tried = study.tried
    if not tried.objects.is_partly_labelled:
        return
    path = Path(data.partition("#")[0] if truth is None else truth)
    tried.ledger = path if path.exists() else state_folder()
    if truth is not None and path.is_file():
        with contextlib.suppress(InputError):  # read by another column of ids: no order
            known = read_labels(path, tried.n_objects, rows=tried.dataset.rows)
            tried.draw = None if known.taught else known.order
