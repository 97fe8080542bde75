"""Worker processes end with the process that started them, however that ends."""

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """To be called first in a worker. A parent that is killed cannot end its workers, which would wait for work for ever."""
    threading.Thread(target=_wait, daemon=True).start()


def _wait() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
