"""Modules that need PyTorch are not collected where it is missing."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/karat_lab/taught_[nt]*.py"]
