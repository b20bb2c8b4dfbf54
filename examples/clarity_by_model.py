"""Let a language model name the clusters of wines, and measure how far its names reach.

Run it with any server that has OpenAI's interface, here ollama on this machine:

    ollama pull llama3.2
    python examples/clarity_by_model.py openai:llama3.2@http://localhost:11434/v1

A server that wants a key gets that of the environment variable OPENAI_API_KEY. The wines shown
are sent to the server; the answers are kept in wine-answers.sortal, so that none is paid for twice.
"""

from __future__ import annotations

import sys

import sortal
from sortal_lab.reading import ClarityByReading, clarity_by_reading


def main(model: str, answers: str = "wine-answers.sortal") -> ClarityByReading:
    """Clarity of a clustering of wines for a model, named as openai:MODEL@URL."""
    wine = sortal.datasets.load("wine", scale="standard")
    study = sortal.Study(wine).sweep("ward", k=[3])
    clarity = clarity_by_reading(
        wine, study.labels("ward k=3"), model, answers=answers, n_parallel=4
    )
    print(clarity)
    print(clarity.per_cluster[["name", "asked", "recognised", "taken for"]])
    print(clarity.cost)
    return clarity


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
