"""Shares and small numbers as sentences and figures print them."""

from __future__ import annotations

import math

NUMERALS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip


def percent(share: float, decimals: int | None = None) -> str:
    """A share in per cent; by default with one decimal below 10 %.

    >>> percent(0.256), percent(0.0123), percent(0), percent(0.256, 1)
    ('26 %', '1.2 %', '0 %', '25.6 %')
    """
    places = int(0 < share < 0.0995) if decimals is None else decimals
    return f"{100 * share:.{places}f} %"


def percent_digits(share: float, digits: int) -> str:
    """A share in per cent to some significant digits.

    >>> percent_digits(0.0123, 2), percent_digits(0.05, 4)
    ('1.2 %', '5 %')
    """
    return f"{share * 100:.{digits}g} %"


def percent_up(rate: float) -> str:
    """A share in per cent rounded up, so that a guarantee is never printed tighter than it is.

    >>> percent_up(0.1201), percent_up(0.12)
    ('12.1 %', '12.0 %')
    """
    return percent(math.ceil(rate * 1000 - 1e-9) / 1000, 1)


def percent_down(rate: float) -> str:
    """A share in per cent rounded down, for lower limits.

    >>> percent_down(0.1209)
    '12.0 %'
    """
    return percent(math.floor(rate * 1000 + 1e-9) / 1000, 1)


def certain_percent(probability: float) -> str:
    """A probability in whole per cent, never 0 or 100 %.

    >>> certain_percent(0.999), certain_percent(0.5), certain_percent(0.001)
    ('over 99 %', '50 %', 'under 1 %')
    """
    if probability > 0.99:
        return "over 99 %"
    return "under 1 %" if probability < 0.01 else percent(probability, 0)


def whole_percent(share: float) -> str:
    r"""A share in whole per cent for a page: it does not break there, and 0 is none at all.

    >>> whole_percent(0.25), whole_percent(0.001)
    ('25\xa0%', 'under 1\xa0%')
    """
    text = "under 1 %" if 0 < share < 0.005 else percent(share, 0)
    return text.replace(" %", "\u00a0%")


def number_word(n: int) -> str:
    """A number up to twelve as a word, a larger one in digits.

    >>> number_word(3), number_word(1300)
    ('three', '1,300')
    """
    return NUMERALS[n] if n < len(NUMERALS) else f"{n:,}"
