"""`crossbias check`: whether a design is right, all of it, before DVC or a stage acts on a word of it."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stages.contract import design
from stages.contract.bad_input import BadInput
from stages.contract.params import Design


def main(arguments: Sequence[str] | None = None, program: str = "crossbias check") -> int:
    """Exit code 0: the design is right; 2: it is not, and one sentence says the first thing that is wrong."""
    parser = argparse.ArgumentParser(prog=program, description="Check every name, option and path of a design in a second or two.")
    parser.add_argument("design", type=Path, nargs="?", default=Path("params.yaml"), help="the design (default: params.yaml)")
    path = parser.parse_args(arguments).design
    try:
        found = validate(path)
    except (BadInput, OSError) as error:
        print(f"check: {error}", file=sys.stderr)
        return 2
    print(f"{path} is right: {len(found.tasks)} tasks x {len(found.models)} models, {len(found.challenges)} challenges.")
    return 0


def validate(path: Path) -> Design:
    """The design in a file, once stages and DVC are known to take it; BadInput as theirs. A run begins with this too."""
    from flows import resolved  # imports DVC

    found = design.validate(path)
    resolved.refuse(path, {stage: design.settings(found, stage, path) for stage in design.stage_names()})
    return found


if __name__ == "__main__":
    sys.exit(main())
