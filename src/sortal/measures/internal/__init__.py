"""Measures of the data and the clustering alone, a file for each idea.

Every function takes ``(X, labels)``; its record beside it serves many clusterings at once.
"""
