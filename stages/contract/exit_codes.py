"""What a stage's exit code says of its failure: 2, bad input; 75 and 71, something that another try may mend; 1, the rest."""

import socket
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool

from stages.contract.bad_input import BadInput

# Of a gate that passed, that failed, and of which nothing could be tested (which is no pass).
GATE: dict[bool | None, int] = {True: 0, False: 1, None: 3}
BAD_INPUT = 2
OF_COMMANDS = "exit codes: 0 done, and the gate, if any, passed; 1 a gate failed; 2 bad input; 3 a gate found nothing that could be tested"
OUT_OF_MEMORY = 71  # EX_OSERR of sysexits.h
TEMPORARY = 75  # EX_TEMPFAIL
AGAIN_LATER = {408, 429, 500, 502, 503, 504}  # of HTTP
# What CUDA, the allocator of torch and our own refusals call it where it is no exception of its own.
SIGNS = ("out of memory", "not enough memory", "DefaultCPUAllocator", "ALLOC_FAILED", "memory is too small")


def exit_code(error: BaseException) -> int | None:
    """The exit code that an error deserves, by itself or by what caused it; None: it is a mistake of the program's own."""
    chain = list(_chain(error))
    if any(_is_memory(one) for one in chain):
        return OUT_OF_MEMORY
    if any(_is_network(one) for one in chain):
        return TEMPORARY
    return BAD_INPUT if isinstance(error, BadInput | OSError) else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError | BrokenProcessPool) or any(sign in str(error) for sign in SIGNS)


def _is_network(error: BaseException) -> bool:
    """A connection that was refused, lost or too slow, or a server that has too much to do."""
    lost = isinstance(error, ConnectionError | TimeoutError | socket.gaierror) and not isinstance(error, BrokenPipeError)
    return lost or getattr(getattr(error, "response", None), "status_code", None) in AGAIN_LATER
