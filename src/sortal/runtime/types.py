"""Types for annotations under their former name; :mod:`sortal.typing` has them."""

from sortal.typing import ArrayLike as ArrayLike
from sortal.typing import Bools as Bools
from sortal.typing import Estimator as Estimator
from sortal.typing import Floats as Floats
from sortal.typing import Ints as Ints
from sortal.typing import Labels as Labels
from sortal.typing import Metric as Metric
from sortal.typing import RandomState as RandomState
from sortal.typing import Rows as Rows
