"""How long a person takes for a round of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortal_lab.reading.question import Questionnaire

#: characters that adults read in a minute: 238 words (Brysbaert 2019) of six with their blanks
CHARACTERS_A_MINUTE = 1_400
#: minutes to make a name, and to choose among names
A_NAME, A_CHOICE = 0.25, 0.05
#: minutes of a short round, and the fewest characters to which it cuts a text
SHORT_MINUTES, LEAST_CHARACTERS = 5.0, 80


def minutes_of(n_names: int, n_choices: int, characters: int) -> float:
    """Minutes to read so many characters, to make the names and the choices."""
    return characters / CHARACTERS_A_MINUTE + A_NAME * n_names + A_CHOICE * n_choices


def short_characters(n_names: int, n_choices: int, n_shown: int) -> int:
    """Characters of each of the shown objects with which a round takes five minutes.

    >>> short_characters(5, 10, 35)
    130
    """
    time_left = SHORT_MINUTES - minutes_of(n_names, n_choices, 0)
    return max(LEAST_CHARACTERS, int(time_left * CHARACTERS_A_MINUTE / n_shown))


def effort(questions: Questionnaire) -> str:
    """What a person has to read in a round, and about how long that takes."""
    shown = [questions.question(at, {}).shown for at in range(len(questions))]
    characters = sum(
        len(content.text) + sum(len(name) + len(value) for name, value in content.cells)
        for content in shown
    )
    n_names = questions.n_names
    minutes = max(1, round(minutes_of(n_names, len(questions) - n_names, characters)))
    return f"{characters:,} characters to read: about {minutes} minute{'s' * (minutes > 1)}."
