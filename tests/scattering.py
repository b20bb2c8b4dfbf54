"""An executor that keeps what it is sent, as another machine would."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor, Future


class Handle:
    def __init__(self, name: int) -> None:
        self.name = name


class Scattering(Executor):
    """An executor with a place for values; what is submitted is pickled, as for another machine."""

    def __init__(self) -> None:
        self.held: list[object] = []
        self.largest = self.jobs = 0

    def scatter(self, value):
        self.held.append(pickle.loads(pickle.dumps(value)))
        return Handle(len(self.held) - 1)

    def submit(self, function, /, *args, **options):
        sent = pickle.dumps((function, args, options))
        self.largest, self.jobs = max(self.largest, len(sent)), self.jobs + 1
        function, args, options = pickle.loads(sent)
        args = [self.held[a.name] if isinstance(a, Handle) else a for a in args]
        future: Future = Future()
        try:
            future.set_result(function(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future
