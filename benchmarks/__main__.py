"""``python -m benchmarks [evaluate peers finetune vectors svm_grid ube pipeline runs]``: run the comparisons and print one table."""

import importlib
import sys

PARTS = ("evaluate", "peers", "finetune", "vectors", "svm_grid", "ube", "pipeline", "runs")


def main(parts: list[str]) -> None:
    """Each part's ``measure()`` gives rows of what was done, our figure, theirs, their ratio, and a note."""
    rows = []
    for part in parts or PARTS:
        print(f"measuring {part} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.{part}").measure()
    print(table(rows))


def table(rows: list[dict[str, str]]) -> str:
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([str(row[name]) for name in columns] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main(sys.argv[1:])
