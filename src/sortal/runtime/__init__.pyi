"""The public names of this room, read by type checkers and by the package itself."""

from sortal.runtime.executors import LostWorkersError as LostWorkersError
from sortal.runtime.executors import Workers as Workers
from sortal.runtime.executors import as_executor as as_executor
from sortal.runtime.executors import tree_sum as tree_sum
from sortal.runtime.progress import doing as doing
from sortal.runtime.progress import progress_bar as progress_bar
from sortal.runtime.threads import in_order as in_order
from sortal.runtime.threads import in_threads as in_threads
from sortal.runtime.validation import check_data as check_data
from sortal.runtime.validation import largest_value as largest_value
from sortal.runtime.validation import smallest_value as smallest_value
