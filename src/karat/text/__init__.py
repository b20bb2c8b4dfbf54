"""Documents: conversion of texts to weighted terms, and the topics of their clusters."""

from karat.text._tokens import byte_ngrams, words
from karat.text._weights import WEIGHTS, TermWeighter
from karat.text.topics import telling_terms, topic_quality
from karat.text.vectorizer import TextVectorizer

__all__ = [
    "WEIGHTS",
    "TermWeighter",
    "TextVectorizer",
    "byte_ngrams",
    "telling_terms",
    "topic_quality",
    "words",
]
