"""A retriever of a few lines, to try searching on: documents by the words that they share."""

from __future__ import annotations

DOCUMENTS = {
    "r1": "Apple pie with a crust of butter and flour, baked for an hour.",
    "r2": "Pancakes of flour, milk and eggs, with slices of apple.",
    "r3": "Bread of rye flour and yeast, which rises overnight.",
    "r4": "Omelette: eggs, butter, and a little milk.",
    "r5": "Lentil soup with cumin and lemon.",
    "r6": "Lemon cake of eggs, sugar, butter and flour.",
}


def search(query: str, k: int) -> list[tuple[str, float]]:
    """The k documents that share most words with the query; none that shares no word."""
    wanted = _words(query)
    shared = {id: len(wanted & _words(text)) / len(wanted) for id, text in DOCUMENTS.items()}
    found = [(id, score) for id, score in shared.items() if score]
    return sorted(found, key=lambda pair: pair[1], reverse=True)[:k]


def _words(text: str) -> set[str]:
    return {word.strip(".,:").lower() for word in text.split()}
