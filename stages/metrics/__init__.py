"""Counts, fairness, resampling, performance."""
