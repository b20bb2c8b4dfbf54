"""Data sets: readers for files and tables, and a few packaged sets.

Readers split a file, table or array into features, ids and classes. Text becomes columns of 0 and
1, missing values are imputed or rejected, and features are scaled. :attr:`Dataset.notes` lists
these steps.
"""

from karat.datasets._constraints import read_constraints
from karat.datasets._dataset import Dataset
from karat.datasets._dependence import Weighing
from karat.datasets._files import read_lines
from karat.datasets._in_memory import from_array, from_table
from karat.datasets._labelings import (
    ASSIGNED,
    KnownLabels,
    LabelColumns,
    labels_of_column,
    read_columns,
    read_joined,
    read_labelings,
    read_labels,
)
from karat.datasets._original_units import original_units
from karat.datasets._packaged_sets import available, load
from karat.datasets._readers import read, read_cells
from karat.datasets._relations import (
    as_dataset,
    compares_objects,
    from_distances,
    from_graph,
    from_objects,
    with_relation,
)
from karat.datasets.column_kinds import Column
from karat.datasets.column_weights import weighted
from karat.datasets.findings import Finding
from karat.datasets.problems import DoubtfulError, RepairableError
from karat.datasets.reading_plan import ReadingPlan

__all__ = [
    "ASSIGNED",
    "Column",
    "Dataset",
    "DoubtfulError",
    "Finding",
    "KnownLabels",
    "LabelColumns",
    "ReadingPlan",
    "RepairableError",
    "Weighing",
    "as_dataset",
    "available",
    "compares_objects",
    "from_array",
    "from_distances",
    "from_graph",
    "from_objects",
    "from_table",
    "labels_of_column",
    "load",
    "original_units",
    "read",
    "read_cells",
    "read_columns",
    "read_constraints",
    "read_joined",
    "read_labelings",
    "read_labels",
    "read_lines",
    "weighted",
    "with_relation",
]
