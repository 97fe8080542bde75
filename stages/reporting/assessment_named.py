"""What it does to scores who is mentioned: swapped texts and made-up sentences -> parts of the assessment."""

import pyarrow as pa

from stages.reporting.assessment import Part
from stages.reporting.assessment_rows import Row, counted, cut, figure, records, share, surest, telling, told
from stages.reporting.assessment_text import short
from stages.reporting.results import OURS
from stages.reporting.tables import Table
from stages.reporting.wording import count, number, set_name

BESIDE = {"cb_mean": 3, "subgroup_auc": 2, "bpsn_auc": 2, "bnsp_auc": 2}  # metrics beside the difference, and their decimals


def swaps(effects: pa.Table, level: float) -> Part | None:
    """Whom it favours when a text is rewritten to be about somebody else."""
    rows = [row for row in records(effects.to_pandas()) if row["convention"] == OURS]
    whole = telling([row for row in rows if (row["label"], row["direction"]) == ("all", "either")], level, "texts", "change")
    named = {"Swaps, all texts": whole, "Swaps by direction and label": [row for row in rows if row not in whole]}
    tables = [_swapped(caption, some, level) for caption, some in named.items() if some]
    return Part(tables, counted(whole, level), first=surest(whole, level, _changed)) if tables else None


def _changed(row: Row) -> str:
    sides = " and ".join(f"{row[name]} in {share(row[f'favours_{name}'], row['texts'])}" for name in ("first", "second"))
    return f"{row['task']}, {row['model']}: of {row['texts']:,} texts the score favours {sides}"


def _swapped(caption: str, rows: list[Row], level: float) -> Table:
    cells = [
        [
            f"{row['task']}, {row['model']}",
            f"{row['first']} / {row['second']}",
            row["direction"],
            row["label"],
            f"{row['texts']:,}",
            " / ".join(share(row[which], row["texts"]) for which in ("favours_first", "favours_second", "unchanged")),
            figure(row, "change", decimals=4),
            number(row["token_fairness"], 4),
            f"{row['flipped']:,}",
            told(row, level),
        ]
        for row in telling(rows, level, "texts", "change")
    ]
    columns = ["Task, model", "First / second", "Direction", "Label", "Texts", "Favours first / second / neither", "Change"]
    return cut(caption, [*columns, "Token fairness", "Decisions flipped", "Verdict (sign test)"], cells, (0, 1, 2, 3, 9))


def templates(identities: pa.Table, level: float) -> Part | None:
    """What models make of the same made-up sentence about different people."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in records(identities.to_pandas()):
        found.setdefault(tuple(row[key] for key in ("challenge", "task", "model", "attributes", "group")), {})[row["metric"]] = row
    differences = telling([own["difference"] | {"own": own} for own in found.values() if "difference" in own], level, "n")
    cells = [
        [
            row["challenge"],
            f"{row['task']}, {row['model']}",
            short(row["group"]),
            set_name(row["attributes"]),
            f"{row['n']:,} of {count(row['templates'], 'template')}",
            figure(row, decimals=3),
            *(figure(row["own"][name], decimals=decimals) if name in row["own"] else "not computed" for name, decimals in BESIDE.items()),
            told(row, level),
        ]
        for row in differences
    ]
    columns = ["Challenge", "Task, model", "Sentences about", "Attributes", "Sentences", "Difference", "CB, mean"]
    columns += ["Subgroup AUC", "BPSN AUC", "BNSP AUC", "Verdict"]
    tables = [cut("Who is mentioned", columns, cells, (0, 1, 2, 3, 10))]
    return Part(tables, counted(differences, level), first=surest(differences, level, _apart)) if cells else None


def _apart(row: Row) -> str:
    return f"{row['task']}, {row['model']}, {short(row['group'])}: difference of the mean favourable score {figure(row, decimals=3)}"
