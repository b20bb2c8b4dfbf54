"""Types of choices, in a module without imports."""

from typing import Literal, TypeAlias

Weight: TypeAlias = Literal["tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf"]
