"""One file a mitigation: what makes a model's fit, or the decisions made from it, treat groups more alike; ``groups`` is shared."""
