"""Whom a text mentions: words for people, names and named entities, as columns beside its label. Never who wrote it."""
