"""One file a way to say which words of a text a model leans on, and what its words are worth over many texts."""
