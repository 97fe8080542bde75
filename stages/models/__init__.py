"""One file a model family, and what the families share."""
