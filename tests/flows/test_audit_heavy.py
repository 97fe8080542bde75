"""Who audits is told where few people wrote most texts of a group."""

import numpy as np
import pandas as pd

from flows import audit
from flows.audit_options import Options
from flows.audit_table import read


def test_a_group_of_which_one_author_wrote_most_is_named(tmp_path):
    """30 women of whom one has 60 of 89 texts are effectively 2.2; 30 men with three texts each are 30, and not named."""
    who = [*np.repeat(np.arange(30), [60, *[1] * 29]), *np.repeat(np.arange(30, 60), 3)]
    gender = np.where(np.array(who) < 30, "woman", "man")
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"who": who, "gender": gender, "y": random.integers(0, 2, len(who)), "p": random.integers(0, 2, len(who))})
    frame.to_csv(tmp_path / "file.csv", index=False)
    options = Options(tmp_path / "file.csv", "y", decision="p", attributes=("gender",), author="who", replicates=100)
    found = audit.score(read(options), options)
    notes = [note for note in found.reading.notes if "effectively" in note]
    worth = "few people wrote most texts of 1 group, which are worth fewer than 10 people each"
    assert notes == [f"{worth}: gender: woman (30, effectively 2.2). Intervals are wide."]
    rows = found.groups.to_pandas().query("metric == 'base_rate' and comparison == 'none'").set_index("group")
    assert rows.loc["woman", "effective_people"] == 89**2 / (60**2 + 29)
    assert rows.loc["man", "effective_people"] == rows.loc["man", "people"] == 30
