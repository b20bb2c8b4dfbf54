"""Names of choices, apart from what is imported for them."""

from typing import Literal, TypeAlias

Weight: TypeAlias = Literal["tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf"]
