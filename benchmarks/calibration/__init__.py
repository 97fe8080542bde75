"""Simulation studies: do intervals hold the truth, do tests keep their level at equality, what do they find, and beside fairlearn?"""
