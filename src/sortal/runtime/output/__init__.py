"""The writer of outputs: the only code that creates, replaces or removes files and folders.

A command adds all its inputs and outputs to an :class:`OutputPlan` before it works. The plan
rejects an output that is, holds, or lies inside an input, or that is another output. What exists is
replaced only on request, and only if an earlier output wrote it and nobody changed it since.

- ``places``: paths and addresses, and whether one is, holds or lies inside another.
- ``plan``: the check before the work.
- ``ownership``: the record of the files that were written, in the user's state folder.
- ``files``: single files, whole or not at all. Also appended lines and temporary files.
- ``folders``: folders of files with a manifest, on a disk or at an address.
"""

from sortal.runtime.output.files import (
    append_line,
    appending,
    create_private,
    draft,
    new_file,
    private_opener,
    remove_file,
    temporary_file,
    temporary_folder,
    write_output,
)
from sortal.runtime.output.folders import MANIFEST, OutputFolder, WrittenFile, without_outputs
from sortal.runtime.output.plan import OutputPlan, check_output

__all__ = [
    "MANIFEST",
    "OutputFolder",
    "OutputPlan",
    "WrittenFile",
    "append_line",
    "appending",
    "check_output",
    "create_private",
    "draft",
    "new_file",
    "private_opener",
    "remove_file",
    "temporary_file",
    "temporary_folder",
    "without_outputs",
    "write_output",
]
