"""Limits from which on data look odd: all that were tuned, in one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Tuned limits of the readers."""

    #: tuned: by eye; share of the first lines that have as many cells as the table
    min_regular_share: float = 0.7
    #: tuned: by eye; lines above or below a table that are titles and footnotes
    max_lines_aside: int = 10

    #: tuned: by eye; share of cells in a column of numbers that are mistakes or words
    max_invalid_share: float = 0.1
    #: tuned: by eye; decades per cell by which a reading of numbers must be better
    min_decades: float = 0.5
    #: tuned: by eye; cells that show where the others of their column lie
    min_usual_cells: int = 8
    #: tuned: by eye; numbers below 1,000 without a mark beside those with points between thousands
    min_short_share: float = 0.1

    #: tuned: by eye; values of a category
    max_categories: int = 100
    #: tuned: by eye; values of a column that is named like an outcome
    max_outcomes: int = 5
    #: tuned: by eye; values of a column that is named like classes
    max_labels: int = 50
    #: tuned: by eye; values of whole numbers that are codes
    max_codes: int = 30
    #: tuned: by eye; distance of a mark of missing values, in ranges of the other values
    sentinel_gap: float = 2.0
    #: tuned: by eye; share of missing values up to which a column is a feature
    max_missing_share: float = 0.6
    #: tuned: by eye; characters of an id
    max_id_length: int = 60
    #: tuned: by eye; share of different values in a column that may name the rows
    min_key_share: float = 0.9

    #: tuned: by eye; distance of a lone cell from the others, in ranges of the others
    min_gap: float = 20.0
    #: tuned: by eye; share of lone cells, one cell at least
    max_lone_share: float = 0.005
    #: tuned: by eye; distinct values in which a lone cell or a change of the unit can show
    min_distinct: int = 10
    #: tuned: by eye; p-value at which two parts of a column have different units
    max_chance: float = 1e-8
    #: tuned: by eye; p-value of two parts once they have the same unit
    min_likeness: float = 0.005
    #: tuned: by eye; ratio of the spreads of two parts once they have the same unit
    max_unit_ratio: float = 1.4
    #: tuned: by eye; p-value of two parts in another column, where rows are sorted or drift
    max_drift: float = 1e-5
    #: tuned: by eye; values of a part that can differ from the others
    min_part: int = 12

    #: tuned: on cuts of tables from public archives; ratio of the spreads of two parts, or distance
    #: of their medians in spreads, that are orders of magnitude
    min_ratio: float = 30.0
    #: tuned: on cuts of tables from public archives; difference of the missing shares of two parts
    min_missing: float = 0.8
    #: tuned: on cuts of tables from public archives; deviations between the other parts
    min_deviations: float = 6.0
    #: tuned: by eye; standard deviations by which other rows leave the range of the sampled ones
    far: float = 10.0

    #: tuned: by eye; share of rows that are no objects, or whose cells are shifted
    max_odd_share: float = 0.05
    #: tuned: by eye; variables of a table in long format
    max_variables: int = 300
    #: tuned: by eye; objects from which on a repeated id is no category
    many_objects: int = 30
    #: tuned: by eye; rows per object that are a series
    min_series: int = 6
    #: tuned: by eye; share of different pairs of object and variable, or object and time
    min_unique: float = 0.99
    #: tuned: by eye; frequent values of a category whose shares become columns
    max_shares: int = 20
    #: tuned: by eye; points of a resampled series
    n_points: int = 48
    #: tuned: by eye; points of a series that is taken as it is
    max_points: int = 100
    #: tuned: by eye; share of objects and times with a row in series with common times
    min_filled: float = 0.9
    #: tuned: by eye; rows of a table whose columns may be its objects
    max_transposed: int = 12
    #: tuned: by eye; rows of points that would name a thing twice by chance
    min_chance_loops: float = 5.0

    #: tuned: by eye; ratio of the largest spread to the lower quartile above which units differ
    max_spread_ratio: float = 5.0
    #: tuned: by eye; correlation above which columns are one column in two units
    min_collinearity: float = 0.9999
    #: tuned: by eye; rows in which columns of two values do not coincide by chance
    min_rows_of_flags: int = 100
    #: tuned: by eye; rows below which repeats, order and copies of classes say nothing
    min_rows: int = 20
    #: tuned: by eye; share of the objects whose value determines their cluster
    min_reproduced: float = 0.98
    #: tuned: by eye; share of repeated rows that is reported
    min_repeated: float = 0.01
    #: tuned: by eye; share of rows nearer to the next than to one far below, from which on a series
    min_alike: float = 0.85
    #: tuned: by eye; distance of that row
    lag: int = 10

    #: tuned: by eye; objects below which columns are not weighed, and rows are no series
    min_objects: int = 50
    #: tuned: by eye; false discovery rate of pairs, level of modes and of triples
    level: float = 0.01
    #: tuned: by eye; objects off the most frequent value in which dependence can show
    min_unusual: int = 15
    #: tuned: by eye; distinct values up to which a numeric column is coded like a category
    max_coded: int = 6
    #: tuned: by eye; fewer columns all count: each may matter, and little can be tested
    min_columns: int = 4
    #: tuned: by eye; share of the objects that have a code of their own
    min_code_share: float = 0.02
    #: tuned: by eye; share of objects on either side of a column's median in a test of triples
    min_side: float = 0.1


LIMITS = Limits()
#: limit of cost: rows that a comparison of rows or of columns takes, drawn where there are more
MAX_ROWS = 5_000
