"""GPUs that a library of arrays reaches: where data lie, and what this machine has."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from karat.runtime.validation import InputError


@dataclass(frozen=True)
class Accelerator:
    """A device, and the library that computes on it.

    Attributes
    ----------
    xp : module
        A namespace of the array API standard.
    device : object
        What its functions take as ``device=``.
    """

    xp: Any
    device: Any

    def __str__(self) -> str:
        library = self.xp.__name__.rpartition(".")[2]
        return f"{self.device} ({library})"


def accelerator_of(values: Any) -> Accelerator | None:
    """The GPU that an array lies on, if array-api-compat is there to compute on it.

    Raises
    ------
    InputError
        If matrix products of single precision are set to lose digits there.
    """
    device = getattr(values, "device", None)
    if device is None or "cpu" in str(device).lower() or find_spec("array_api_compat") is None:
        return None
    compat = import_module("array_api_compat")
    if not compat.is_array_api_obj(values) or compat.is_lazy_array(values):
        return None
    if not compat.is_writeable_array(values):
        return None
    return _checked(compat.array_namespace(values), device)


def find_accelerator() -> Accelerator | None:
    """The GPU that torch or CuPy uses, where one of them is installed and there is one."""
    if find_spec("array_api_compat") is None:
        return None
    if find_spec("torch") is not None:
        with contextlib.suppress(ImportError, OSError, InputError):
            torch = import_module("torch")
            if torch.cuda.is_available():
                device = torch.device("cuda", torch.cuda.current_device())
                return _checked(import_module("array_api_compat.torch"), device)
    if find_spec("cupy") is not None:
        # without a driver CuPy raises an error of its own
        with contextlib.suppress(Exception):
            device = import_module("cupy").cuda.Device()
            return _checked(import_module("array_api_compat.cupy"), device)
    return None


def _checked(xp: Any, device: Any) -> Accelerator | None:
    """One that has double precision, and whose products of single precision keep their digits."""
    try:
        one = xp.astype(xp.eye(256, dtype=xp.float64, device=device), xp.float32)
        fine = xp.full((256, 256), 1 + 2.0**-20, dtype=xp.float32, device=device)
        kept = bool(xp.all(xp.matmul(fine, one) == fine))
    except (TypeError, RuntimeError):  # Apple's have single precision only
        return None
    if not kept:
        raise InputError(
            f"on {device} products of single precision are computed with fewer digits (TF32), too "
            'few for distances; set torch.set_float32_matmul_precision("highest"), unset '
            "CUPY_TF32, or give X as a NumPy array"
        )
    return Accelerator(xp, device)
