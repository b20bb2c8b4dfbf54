"""Measures against a gold standard, a file for each idea.

Every function takes ``(labels_true, labels_pred)`` or one :class:`~sortal.ContingencyTable`.
"""
