"""How many examples of a law are drawn: all in ``make test-all``, a part in ``make test``."""

from __future__ import annotations

from hypothesis import settings

#: hypothesis' own number, under which all are drawn
WHOLE = 100


def examples(count: int) -> settings:
    """``@examples(60)``: so many under the profile "fresh", at least ten under "same"."""
    share = settings.default.max_examples / WHOLE
    return settings(max_examples=max(min(count, 10), round(count * share)))
