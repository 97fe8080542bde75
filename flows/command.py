"""The command `crossbias`: each subcommand is a module's own ``main``, imported when it is called."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

# A subcommand's name: the module that does it, and what it does.
SUBCOMMANDS = {
    "check": ("flows.check", "check a design: every name, option and path of it, before anything runs"),
    "run": ("flows.run", "bring the benchmark up to date: run what `dvc repro` would, in parallel and watched by Prefect"),
    "audit": ("flows.audit", "audit a file of predictions: who is selected and who is missed, by group"),
    "assess": ("flows.assess", "assess a classifier by its predictions and texts: data, groups, words, in the order of ALTAI"),
    "embed": ("flows.embed", "audit word vectors or an encoder: what they hold of bias, before and after debiasers"),
    "compare": ("flows.compare", "compare the results of two commits, branches, tags or experiments: better, worse, or chance?"),
    "plots": ("flows.plots", "draw ADI, FV, calibration and ROC of one or more revisions as one page that opens offline"),
    "footprint": ("flows.footprint", "show what the runs behind the results cost: seconds, energy, CO2 equivalents"),
    "data": ("flows.data", "list the data and weights that the design needs, what is missing and where to get it"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Hand the rest of the command line to the subcommand, whose exit code this returns."""
    parser = argparse.ArgumentParser(prog="crossbias", description="Measures intersectional bias in text classifiers.")
    commands = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")
    for name, (_, summary) in SUBCOMMANDS.items():
        commands.add_parser(name, help=summary, add_help=False)
    chosen, rest = parser.parse_known_args(arguments)
    module = import_module(SUBCOMMANDS[chosen.subcommand][0])
    return int(module.main(rest, f"crossbias {chosen.subcommand}"))


if __name__ == "__main__":
    sys.exit(main())
