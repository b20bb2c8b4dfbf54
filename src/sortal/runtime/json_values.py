"""Values as JSON takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def json_value(value: object, *, facts: Callable[[object], object] | None = None) -> Any:
    """A value with mappings, lists and numbers of NumPy inside as JSON takes it.

    ``facts`` gives what an object of another class says of itself, and the object where it has
    nothing to say.

    >>> json_value({1: (np.float64(0.5), None)})
    {'1': [0.5, None]}
    """
    content = value if facts is None else facts(value)
    if isinstance(content, Mapping):
        return {str(key): json_value(item, facts=facts) for key, item in content.items()}
    if isinstance(content, (tuple, list)):
        return [json_value(item, facts=facts) for item in content]
    return content.item() if isinstance(content, np.generic) else content
