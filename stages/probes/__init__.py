"""Probes of a pretrained base: how its vectors of words lean towards groups of people, before anything is trained on it."""
