"""Numba kernels: arrays in, arrays out; no validation, no I/O, no Python objects."""
