"""Speed beside what a user would otherwise use, as ratios measured in one run."""
