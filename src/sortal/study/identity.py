"""Identities of functions, estimators and arrays that are stable between runs of a program.

A study file must recognise the metric and the clusterers that it was started with. Names and
``repr`` are not enough: two lambdas share a name, and the ``repr`` of an array omits most values.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Iterable, Mapping

import numpy as np
from scipy import sparse


class NoIdentityError(TypeError):
    """The content of an object cannot be compared; the message names the object."""


def identity(thing: object) -> str:
    """A text that is equal for equal content, in this process and in any other.

    The text is a readable name, followed by ``#`` and a digest if the name does not say
    everything. A :class:`NoIdentityError` is raised for content that cannot be compared, such as
    a closure.

    >>> from sklearn.cluster import KMeans
    >>> identity(KMeans(n_clusters=3)) == identity(KMeans(n_clusters=4))
    False
    """
    if isinstance(thing, str):
        return thing
    return f"{_name(thing)}#{_digest(thing)}"


def _digest(thing: object) -> str:
    """A short hash of the content."""
    return hashlib.sha256("\0".join(_parts(thing)).encode()).hexdigest()[:16]


def _name(thing: object) -> str:
    """The qualified name of a function or class, or of an object's class."""
    if isinstance(thing, functools.partial):
        return f"partial of {_name(thing.func)}"
    if hasattr(thing, "__qualname__"):
        return f"{thing.__module__}.{thing.__qualname__}"
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _parts(thing: object) -> list[str]:
    """The content of an object as a list of texts."""
    if thing is None or isinstance(thing, (str, bytes, bool, int, float, complex, np.generic)):
        return [type(thing).__name__, repr(thing)]
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        digest = hashlib.sha256(np.ascontiguousarray(thing).data).hexdigest()
        return ["array", thing.dtype.str, str(thing.shape), digest]
    if isinstance(thing, (sparse.sparray, sparse.spmatrix)):
        matrix = thing.tocsr()
        return ["sparse", *_nested([matrix.shape, matrix.indptr, matrix.indices, matrix.data])]
    if isinstance(thing, np.random.RandomState):
        return ["RandomState", *_nested(thing.get_state())]
    if isinstance(thing, np.random.Generator):
        return ["Generator", *_nested(thing.bit_generator.state)]
    if isinstance(thing, Mapping):
        entries = sorted(thing.items(), key=lambda entry: str(entry[0]))
        return ["mapping", *_nested(entries)]
    if isinstance(thing, (set, frozenset)):
        return ["set", *sorted(_digest(item) for item in thing)]
    if isinstance(thing, (list, tuple, np.ndarray)):
        return [type(thing).__name__, *_nested(thing)]
    if isinstance(thing, functools.partial):
        return ["partial", *_nested([thing.func, thing.args, thing.keywords])]
    if isinstance(thing, type):
        return ["class", _name(thing)]
    if hasattr(thing, "get_params"):
        return [_name(type(thing)), _digest(thing.get_params(deep=False))]
    return _function(thing)


def _nested(things: Iterable[object]) -> list[str]:
    """Digests of several objects."""
    return [_digest(item) for item in things]


def _function(thing: object) -> list[str]:
    """Name, source and constants of a function."""
    function = getattr(thing, "py_func", thing)  # the Python source of a Numba function
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
    # names, constants and the bytecode distinguish several lambdas on one line
    constants = [
        constant for constant in code.co_consts if not isinstance(constant, types.CodeType)
    ]
    inside = [code.co_varnames, code.co_names, constants]
    if function.__name__ == "<lambda>":
        inside.append(code.co_code)
    defaults = [function.__defaults__ or (), function.__kwdefaults__ or {}]
    return [_name(function), inspect.cleandoc(source), *_nested(inside), *_nested(defaults)]
