"""Data sets: readers for files and tables, and a few packaged sets.

Readers split a file, table or array into features, ids and classes. Text becomes columns of 0 and
1, missing values are imputed or rejected, and features are scaled. :attr:`Dataset.notes` lists
these steps.
"""

from sortal.datasets.formats.data_files import read_lines
from sortal.datasets.in_memory import from_array, from_table
from sortal.datasets.labels.drawn_rows import table_of_draw
from sortal.datasets.labels.label_columns import (
    ASSIGNED,
    labels_of_column,
    read_columns,
    read_constraints,
)
from sortal.datasets.labels.labelings import (
    KnownLabels,
    LabelColumns,
    read_joined,
    read_labelings,
    read_labels,
)
from sortal.datasets.prepared.column_weights import weighted
from sortal.datasets.prepared.dataset import Dataset, Weighing, original_units
from sortal.datasets.readers import available, gower_features, load, read, read_cells
from sortal.datasets.relations import (
    as_dataset,
    compares_objects,
    from_distances,
    from_graph,
    from_objects,
    with_relation,
)
from sortal.datasets.tables.reading_plan import ReadingPlan
from sortal.datasets.values.column_kinds import Column
from sortal.datasets.values.findings import Finding
from sortal.datasets.values.reading_options import DoubtfulError, RepairableError

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
    "gower_features",
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
    "table_of_draw",
    "weighted",
    "with_relation",
]
