"""What several shelves need to know of a language: its swaps of words that tell who a text is about."""
