"""Start of a worker process, before it imports anything that takes time."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from importlib import import_module


def start_worker(parent: int, module: str) -> None:
    """Ignore Ctrl-C, leave when the parent process does, and import the module of the jobs."""
    # Ctrl-C reaches every process of the terminal; the parent decides what happens
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=leave_with_parent, daemon=True).start()
    # garbage is looked for while modules are imported, and by the pool every second: it would go
    # through all that was imported, again and again
    gc.disable()
    import_module(module)
    from sortal.runtime.threads import thread_pools

    thread_pools()
    gc.freeze()
    gc.enable()
