"""What stays the same of a function, an estimator or an array when a program runs again.

A study file must know whether a metric or a clusterer is the one that it was begun with. Names
and ``repr`` do not tell: two lambdas have one name, and the ``repr`` of an array leaves out most
of it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse


class NoIdentityError(TypeError):
    """The content of an object cannot be told; the message names the object."""


def identity(thing: Any) -> str:
    """A text that is equal for equal content, in this process and in any other.

    A name that a person recognises; where it does not say everything, a digest behind ``#``. What
    has no content to compare (a closure, say) raises a :class:`NoIdentityError`.

    >>> from sklearn.cluster import KMeans
    >>> identity(KMeans(n_clusters=3)) == identity(KMeans(n_clusters=4))
    False
    """
    if isinstance(thing, str):
        return thing
    return f"{_name(thing)}#{_digest(thing)}"


def _digest(thing: Any) -> str:
    """Hash of the content of an object."""
    return hashlib.sha256("\0".join(_parts(thing)).encode()).hexdigest()[:16]


def _name(thing: Any) -> str:
    """Qualified name of a function or class, or that of an object's class."""
    if isinstance(thing, functools.partial):
        return f"partial of {_name(thing.func)}"
    if hasattr(thing, "__qualname__"):
        return f"{thing.__module__}.{thing.__qualname__}"
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _parts(thing: Any) -> list[str]:
    """The content as texts."""
    if thing is None or isinstance(thing, (str, bytes, bool, int, float, complex, np.generic)):
        return [type(thing).__name__, repr(thing)]
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        digest = hashlib.sha256(np.ascontiguousarray(thing).data).hexdigest()
        return ["array", thing.dtype.str, str(thing.shape), digest]
    if sparse.issparse(thing):
        matrix = thing.tocsr()
        return ["sparse", *_nested([matrix.shape, matrix.indptr, matrix.indices, matrix.data])]
    if isinstance(thing, np.random.RandomState):
        return ["RandomState", *_nested(thing.get_state())]
    if isinstance(thing, np.random.Generator):
        return ["Generator", *_nested(thing.bit_generator.state)]
    if isinstance(thing, Mapping):
        return ["mapping", *_nested(sorted(thing.items(), key=lambda item: str(item[0])))]
    if isinstance(thing, (set, frozenset)):
        return ["set", *sorted(_digest(one) for one in thing)]
    if isinstance(thing, (list, tuple, np.ndarray)):
        return [type(thing).__name__, *_nested(thing)]
    if isinstance(thing, functools.partial):
        return ["partial", *_nested([thing.func, thing.args, thing.keywords])]
    if isinstance(thing, type):
        return ["class", _name(thing)]
    if hasattr(thing, "get_params"):
        return [_name(type(thing)), _digest(thing.get_params(deep=False))]
    return _function(thing)


def _nested(things: Any) -> list[str]:
    """Hashes of the contents of several objects."""
    return [_digest(one) for one in things]


def _function(thing: Any) -> list[str]:
    """The source and bytecode of a function as texts; NoIdentityError without them."""
    function = getattr(thing, "py_func", thing)  # what Numba compiled
    if isinstance(function, (types.BuiltinFunctionType, np.ufunc)):
        return ["built in", _name(function)]
    if not isinstance(function, types.FunctionType):
        raise NoIdentityError(f"{_name(thing)} is of a kind whose content cannot be compared")
    if function.__closure__:
        raise NoIdentityError(
            f"{_name(function)} depends on variables of the function that it was made in"
        )
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        raise NoIdentityError(f"the source of {_name(function)} is not there") from None
    code = function.__code__
    # names and constants, and the bytecode, tell several lambdas of one line apart
    constants = [one for one in code.co_consts if not isinstance(one, types.CodeType)]
    inside = [code.co_varnames, code.co_names, constants]
    if function.__name__ == "<lambda>":
        inside.append(code.co_code)
    defaults = [function.__defaults__ or (), function.__kwdefaults__ or {}]
    return [_name(function), inspect.cleandoc(source), *_nested(inside), *_nested(defaults)]
