"""Benchmarks: side by side with peers, in one run, as ratios.

``python -m benchmarks`` runs them all, ``python -m benchmarks.study`` one of them.
"""
