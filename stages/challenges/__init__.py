"""Challenge corpora: sentences that differ in whom they speak of and, as far as the language allows, in nothing else."""
