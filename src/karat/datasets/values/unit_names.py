"""Units that people write behind numbers, and their factors."""

from __future__ import annotations

from collections import Counter

#: factor of each unit, by what it measures
SCALES: dict[str, dict[str, float]] = {
    "magnitude": {
        "": 1, "k": 1e3, "tsd": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9,
        "bn": 1e9, "mrd": 1e9, "billion": 1e9,
    },
    "mass": {
        "kg": 1, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237,
        "oz": 0.028349523125,
    },
    "length": {
        "m": 1, "cm": 0.01, "mm": 1e-3, "km": 1e3, "in": 0.0254, "inch": 0.0254, "inches": 0.0254,
        "ft": 0.3048, "feet": 0.3048, "yd": 0.9144, "mi": 1609.344, "miles": 1609.344,
    },
    "duration": {
        "s": 1, "sec": 1, "ms": 1e-3, "min": 60, "mins": 60, "h": 3600, "hr": 3600, "hrs": 3600,
        "d": 86400, "day": 86400, "days": 86400,
    },
    "volume": {"l": 1, "ml": 1e-3, "cl": 1e-2, "dl": 0.1},
    "energy": {"wh": 1, "kwh": 1e3, "mwh": 1e6},
    "power": {"w": 1, "kw": 1e3, "mw": 1e6},
    "bytes": {"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "currency": dict.fromkeys(("€", "$", "£", "¥", "₹", "eur", "usd", "gbp", "chf", "jpy"), 1.0),
}  # fmt: skip
#: what a unit measures; of a unit with several meanings the last
SCALE_OF_UNIT = {unit: scale for scale, units in SCALES.items() for unit in units if unit}
#: conversions from one unit to another that people make in the middle of a file: factor, offset
CONVERSIONS: dict[str, tuple[float, float]] = {
    "inches instead of cm": (1 / 2.54, 0.0),
    "cm instead of inches": (2.54, 0.0),
    "pounds instead of kg": (1 / 0.45359237, 0.0),
    "kg instead of pounds": (0.45359237, 0.0),
    "feet instead of m": (1 / 0.3048, 0.0),
    "m instead of feet": (0.3048, 0.0),
    "miles instead of km": (1 / 1.609344, 0.0),
    "km instead of miles": (1.609344, 0.0),
    "°F instead of °C": (1.8, 32.0),
    "°C instead of °F": (1 / 1.8, -32.0 / 1.8),
    "a unit 10 times smaller": (10.0, 0.0),
    "a unit 10 times larger": (0.1, 0.0),
    "a unit 60 times smaller": (60.0, 0.0),
    "a unit 60 times larger": (1 / 60, 0.0),
    "a unit 100 times smaller": (100.0, 0.0),
    "a unit 100 times larger": (0.01, 0.0),
    "a unit 1,000 times smaller": (1000.0, 0.0),
    "a unit 1,000 times larger": (0.001, 0.0),
}


def scales_of(counts: Counter[str]) -> list[dict[str, float]]:
    """Candidate factors of the units behind the numbers of a column, the most likely first.

    One unit for all is ignored; several count where one table has them all. A unit that only a
    few cells have, beside others that no table has with it, makes these cells no numbers.
    """
    units = {unit for unit in counts if unit}
    if not units:
        return [{"": 1.0}]
    usual = max(counts, key=lambda unit: (counts[unit], unit))
    lower = {unit.lower().replace(" ", "") for unit in units}
    if lower == {"%"}:
        same = {"": 1.0, "%": 1.0}
        return [same] if not counts[""] else [same, {"": 100.0, "%": 1.0}]
    if len(lower) == 1 or lower <= set(SCALES["currency"]):
        same = dict.fromkeys((*units, ""), 1.0)
        unit = next(iter(lower))
        if counts[""] and unit in SCALES["magnitude"]:
            factor = SCALES["magnitude"][unit]
            return [same, {"": 1.0, **dict.fromkeys(units, factor)}]
        return [same]
    for scale in SCALES.values():
        if lower <= set(scale):
            base = scale.get(usual.lower(), scale[min(lower)])
            factors = {unit: scale[unit.lower()] / base for unit in sorted(units)}
            return [{"": 1.0, **factors}]
    unit = max(units, key=lambda unit: (counts[unit], unit))
    return [{"": 1.0, **({unit: 1.0} if counts[unit] > counts[""] else {})}]
