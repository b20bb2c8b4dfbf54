"""Parsers of numbers, grids, families and durations on the command line."""

from __future__ import annotations

from math import floor

from sortal.runtime.validation import InputError, unknown_name


def parse_counts(text: str) -> list[int]:
    """Numbers of clusters in ``2:10`` (both ends), ``2:20:2`` or ``3,5,8``."""
    numbers: list[int] = []
    try:
        for item in text.split(","):
            first, *bounds = (int(piece) for piece in item.split(":"))
            if len(bounds) > 2:
                raise ValueError
            step = bounds[1] if len(bounds) == 2 else 1
            numbers += range(first, (bounds[0] if bounds else first) + 1, step)
    except ValueError:
        raise InputError(f"-k takes 2:10, 2:20:2 or 3,5,8; got {text!r}") from None
    if not numbers:
        raise InputError(f"-k {text} names no number of clusters; write the smaller one first")
    return list(dict.fromkeys(numbers))


def parse_grid(texts: list[str]) -> dict[str, list[float]]:
    """Values by parameter in ``eps=0.1:2:0.1`` (both ends) or ``min_samples=5,10``.

    >>> parse_grid(["eps=0.1:0.3:0.1", "min_samples=5,10"])
    {'eps': [0.1, 0.2, 0.3], 'min_samples': [5, 10]}
    """
    grid: dict[str, list[float]] = {}
    for text in texts:
        name, _, values_text = text.partition("=")
        try:
            values: list[float] = []
            for item in values_text.split(","):
                first, *bounds = (float(piece) for piece in item.split(":"))
                if len(bounds) not in (0, 2) or (bounds and not bounds[1] > 0):
                    raise ValueError
                count = floor((bounds[0] - first) / bounds[1] + 1e-9) + 1 if bounds else 1
                step = bounds[1] if bounds else 0.0
                values += [float(f"{first + i * step:.12g}") for i in range(count)]
        except ValueError:
            values = []
        if not name or not values:
            raise InputError(f"--grid takes name=0.1:2:0.1 or name=5,10; got {text!r}")
        grid[name] = [int(value) if value == int(value) else value for value in values]
    return grid


def parse_family(text: str) -> tuple[str, float | list[float] | str | None]:
    """Family of distributions and its scale in ``gaussian:0.2,1.5``.

    >>> parse_family("gaussian:0.2,1.5"), parse_family("negative-binomial:2")
    (('gaussian', [0.2, 1.5]), ('negative binomial', 2.0))
    """
    family, _, scale = text.partition(":")
    family = family.replace("-", " ")
    if scale in ("", "mixture"):
        return family, scale or None
    try:
        numbers = [float(number) for number in scale.split(",")]
    except ValueError:
        raise InputError(
            f"--differences: the scale is a number, or one for each column (0.2,1.5); got {scale!r}"
        ) from None
    return family, numbers if len(numbers) > 1 else numbers[0]


def parse_clusterers(names: list[str]) -> list[str]:
    """Names of clusterers in the catalogue; ``all`` stands for every clusterer."""
    from sortal.clusterers import catalogue

    for name in names:
        if name != "all" and name not in catalogue:
            raise unknown_name(name, [*catalogue, "all"], "clusterer")
    return list(catalogue) if "all" in names else list(dict.fromkeys(names))


def parse_duration(text: str) -> float:
    """Seconds in ``90``, ``90s``, ``2m`` or ``1.5h``.

    >>> parse_duration("2m")
    120.0
    """
    number, unit = text.strip(), 1.0
    for name, size in {"s": 1, "m": 60, "h": 3600}.items():
        if number.lower().endswith(name):
            number, unit = number[:-1], size
            break
    try:
        value = float(number) * unit
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise InputError(f"{text!r} is not a time such as 90s, 2m or 1.5h")
    return value
