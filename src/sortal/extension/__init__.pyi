"""The names that extensions use and the modules that have them: the one list, read at run time."""

from sortal.cli._groups import takes_groups as takes_groups
from sortal.cli._input import InputOptions as InputOptions
from sortal.cli._input import print_findings as print_findings
from sortal.cli._input import read_dataset as read_dataset
from sortal.cli._input import split_names as split_names
from sortal.cli._options import JsonOption as JsonOption
from sortal.cli._options import SeedOption as SeedOption
from sortal.cli._output import print_json as print_json
from sortal.cli._output import printable as printable
from sortal.cli._output import show_table as show_table
from sortal.cli.label import ask as ask
from sortal.cli.label import show_object as show_object
from sortal.measures.bibliography import Reference as Reference
from sortal.measures.bibliography import Work as Work
from sortal.measures.catalogue import define as define
from sortal.measures.computation import internal_together as internal_together
from sortal.measures.inputs import Inputs as Inputs
from sortal.measures.internal.batch import batch_form as batch_form
from sortal.measures.internal.batch import measure_one as measure_one
from sortal.measures.internal.pairs import pair_means as pair_means
from sortal.measures.passes.plan import STATISTICS as STATISTICS
from sortal.runtime.deprecation import deprecated as deprecated
from sortal.runtime.draws import draw_rows as draw_rows
from sortal.runtime.kept_file import KeptValues as KeptValues
from sortal.runtime.registry import Registry as Registry
from sortal.runtime.synonyms import SCIKIT_LEARN as SCIKIT_LEARN
from sortal.runtime.threads import available_cores as available_cores
from sortal.runtime.threads import one_core as one_core
from sortal.runtime.validation import check_random_state as check_random_state
from sortal.runtime.validation import unknown_name as unknown_name

__all__: list[str]
