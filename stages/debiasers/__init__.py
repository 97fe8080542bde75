"""One file a debiasing method."""
