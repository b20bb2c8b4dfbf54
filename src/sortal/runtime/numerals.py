"""Shares and small numbers as sentences and figures print them."""

from __future__ import annotations

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


def number_word(n: int) -> str:
    """A number up to twelve as a word, a larger one in digits.

    >>> number_word(3), number_word(1300)
    ('three', '1,300')
    """
    return NUMERALS[n] if n < len(NUMERALS) else f"{n:,}"
