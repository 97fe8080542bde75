"""`crossbias check`: whether a design is right, all of it, before DVC or a stage acts on a word of it."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stages.contract import design
from stages.contract.bad_input import BadInput


def main(arguments: Sequence[str] | None = None, program: str = "crossbias check") -> int:
    """Exit code 0: the design is right; 2: it is not, and one sentence says the first thing that is wrong."""
    parser = argparse.ArgumentParser(prog=program, description="Check every name, option and path of a design in a second or two.")
    parser.add_argument("design", type=Path, nargs="?", default=Path("params.yaml"), help="the design (default: params.yaml)")
    path = parser.parse_args(arguments).design
    try:
        found = design.validate(path)
    except (BadInput, OSError) as error:
        print(f"check: {error}", file=sys.stderr)
        return 2
    print(f"{path} is right: {len(found.tasks)} tasks x {len(found.models)} models, {len(found.challenges)} challenges.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
