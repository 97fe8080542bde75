"""One file a data set, named by its publisher's name."""
