"""a corpus of templates, names and words -> the sentences that fitted models are asked about"""

import contextlib
import io
from pathlib import Path

from stages.contract import shelf
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Challenge
from stages.contract.command import command
from stages.contract.params import Challenge as Entry
from stages.contract.params import Design, Section
from stages.contract.values import ON_DISK


class Params(Section):
    """Nothing: a challenge says all in its own entry under ``challenges``."""


def check(design: Design, _: Params) -> None:
    """BadInput where a challenge is for a task that there is not, or its sentences cannot be made."""
    for name, challenge in design.challenges.items():
        unknown = sorted(set(challenge.tasks or ()) - set(design.tasks))
        if unknown:
            raise BadInput(f"params.yaml: challenges.{name}.tasks: {unknown[0]!r} is not among the tasks, {', '.join(design.tasks)}.")
        module, options = shelf.take("challenges", challenge, ON_DISK)
        with contextlib.redirect_stdout(io.StringIO()):  # what it says of repeated sentences is the stage's to say
            module.load(Path(challenge.source), options)


def run(challenge: Entry, params: Params) -> Challenge:  # noqa: ARG001  (every stage has a section)
    """The sentences of one challenge, sorted as its corpus has them. BadInput: see the challenge's own file on the shelf."""
    module, options = shelf.take("challenges", challenge)
    sentences = module.load(Path(challenge.source), options)
    print(f"{sentences.num_rows} sentences", flush=True)
    return sentences


if __name__ == "__main__":
    command(run)
