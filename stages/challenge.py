"""a corpus of templates, names and words -> the sentences that fitted models are asked about"""

from pathlib import Path

from stages.contract import shelf
from stages.contract.challenges import Challenge
from stages.contract.command import command
from stages.contract.params import Challenge as Entry
from stages.contract.params import Section


class Params(Section):
    """Nothing: a challenge says all in its own entry under ``challenges``."""


def run(challenge: Entry, params: Params) -> Challenge:  # noqa: ARG001  (every stage has a section)
    """The sentences of one challenge, sorted as its corpus has them. BadInput: see the challenge's own file on the shelf."""
    module, options = shelf.take("challenges", challenge)
    sentences = module.load(Path(challenge.source), options)
    print(f"{sentences.num_rows} sentences", flush=True)
    return sentences


if __name__ == "__main__":
    command(run)
