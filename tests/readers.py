"""Readers of known behaviour: who knows the clusters, who guesses, lies or fails."""

from __future__ import annotations

import json
import re

import numpy as np


class Oracle:
    """Knows the cluster of every text ``"object I"``; lies or fails with given probabilities."""

    def __init__(self, labels, *, names=None, lies=0.0, fails=0.0, nonsense=0.0, seed=0):
        self.labels = [str(one) for one in labels]
        self.called = names or {one: f"name of {one}" for one in set(self.labels)}
        self.lies, self.fails, self.nonsense = lies, fails, nonsense
        self.rng = np.random.default_rng(seed)
        self.prompts = []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        if self.rng.random() < self.fails:
            raise ConnectionError("no line")
        if self.rng.random() < self.nonsense:
            unclear = "??" if "have in common" in prompt else "1 or 2, hard to say"
            return self.rng.choice(["", "??", "{}", unclear, '{"group": 99}'])
        if "does not?" in prompt:
            return self._intruder(prompt)
        if "have in common" in prompt:
            own = self._seen(prompt.split("Objects of other groups")[0])
            (cluster,) = {self.labels[i] for i in own}
            return json.dumps({"name": self.called[cluster], "line": f"those of {cluster}"})
        names = re.findall(r"^(\d+)\. .*: those of (.*)$", prompt, re.M)
        (at,) = self._seen(prompt.split("<object>")[-1])
        right = next((int(n) for n, of in names if of == self.labels[at]), "none")
        if self.rng.random() < self.lies:
            wrong = [int(n) for n, _ in names if int(n) != right]
            return str(self.rng.choice(wrong))
        return json.dumps({"group": right})

    def _intruder(self, prompt):
        seen = self._seen(prompt.split("<objects>")[-1])
        of = [self.labels[i] for i in seen]
        return str(1 + next(i for i, one in enumerate(of) if of.count(one) == 1))

    def _seen(self, text):
        return [int(i) for i in re.findall(r"object (\d+)", text)]


def guesser(seed=0):
    """Assigns at random; never none."""
    rng = np.random.default_rng(seed)

    def read(prompt):
        if "have in common" in prompt:
            return f"name {rng.integers(10**6)}"
        if "does not?" in prompt:
            return str(rng.integers(1, 6))
        return str(rng.integers(1, 1 + len(re.findall(r"^\d+\. ", prompt, re.M))))

    return read


def objects_of(labels):
    return [f"object {i}" for i in range(len(labels))]
