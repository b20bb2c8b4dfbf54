"""The user's folder for what programs remember between runs."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """Folder of sortal's records: ``XDG_STATE_HOME``, or what the system has instead."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "state") / "sortal"
