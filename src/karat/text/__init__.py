"""Documents: texts to weighted terms."""

from karat.text._tokens import byte_ngrams, words
from karat.text._weights import TermWeighter
from karat.text.vectorizer import TextVectorizer

__all__ = ["TermWeighter", "TextVectorizer", "byte_ngrams", "words"]
