"""Documents: conversion of texts to weighted terms, and the topics of their clusters."""

from sortal.text._tokens import byte_ngrams, words
from sortal.text._weights import WEIGHTS, TermWeighter
from sortal.text.topics import telling_terms, topic_quality
from sortal.text.vectorizer import TextVectorizer

__all__ = [
    "WEIGHTS",
    "TermWeighter",
    "TextVectorizer",
    "byte_ngrams",
    "telling_terms",
    "topic_quality",
    "words",
]
