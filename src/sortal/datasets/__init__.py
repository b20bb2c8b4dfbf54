"""Data sets: readers for files and tables, and a few packaged sets.

Readers split a file, table or array into features, ids and classes. Text becomes columns of 0 and
1, missing values are imputed or rejected, and features are scaled. :attr:`Dataset.notes` lists
these steps. Where things are, from the bottom:

- ``values``: a column of cells. Decimal commas, units and dates are read in ``number_readings``;
  ``column_kinds`` says what a column is, ``limits`` when it looks odd
- ``formats``: a file as raw data. ``delimited`` finds header, delimiter and decimal mark of text
- ``tables``: rows that are no objects, several rows per object, the plan for reading a table
- ``partitioned``: tables of any size, in parts
- ``prepared``: the data set, its checks, and the same steps for further rows
- ``labels``: files of clusterings and classes; the rows of a draw
- ``in_memory``, ``relations``, ``readers``, ``row_blocks``: what users call
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
from sortal.datasets.partitioned.partitions import (
    LabelFolder,
    ReadingSizes,
    open_partitions,
    reading_sizes,
)
from sortal.datasets.prepared.column_weights import weighted
from sortal.datasets.prepared.dataset import Dataset, Weighing, original_units
from sortal.datasets.readers import (
    available,
    gower_features,
    load,
    read,
    read_cells,
    read_objects,
)
from sortal.datasets.relations import (
    as_dataset,
    compares_objects,
    from_distances,
    from_graph,
    from_objects,
    with_relation,
)
from sortal.datasets.row_blocks import object_blocks
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
    "LabelFolder",
    "ReadingPlan",
    "ReadingSizes",
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
    "object_blocks",
    "open_partitions",
    "original_units",
    "read",
    "read_cells",
    "read_columns",
    "read_constraints",
    "read_joined",
    "read_labelings",
    "read_labels",
    "read_lines",
    "read_objects",
    "reading_sizes",
    "table_of_draw",
    "weighted",
    "with_relation",
]
