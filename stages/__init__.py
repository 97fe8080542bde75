"""How each number is made: a file is a stage, a folder is a shelf of things that can be swapped."""

import os

# Here, as it must be set before NumPy is imported: sums differ in the last digits with the number of threads, and on a loaded machine
# threads that wait for each other made a stage twenty times slower. Stages with a parameter `threads` set their own.
os.environ.setdefault("OMP_NUM_THREADS", "1")
