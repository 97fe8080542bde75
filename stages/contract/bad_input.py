"""The one exception for everything a user can mend."""


class BadInput(Exception):
    """Input that cannot be used: one sentence naming the file, column or key, the count, and what to do.

    Commands print it alone and exit with code 2; a traceback appears only with ``--debug``.
    """
