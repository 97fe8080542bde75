"""How each number is made: a file is a stage, a folder is a shelf of things that can be swapped."""
