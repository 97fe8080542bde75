"""What finds a planted deficit: one intersection of gender and race whose TPR is lower, by our tests and by fairlearn's interval."""

import io
from itertools import product

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, true_positive_rate

from benchmarks.calibration.people import RULES, World
from benchmarks.calibration.shares import Share, shares
from stages.metrics.estimates import estimates
from stages.metrics.group_scores import FROM_EVERYONE, score_groups
from stages.metrics.group_tests import compare_groups
from stages.metrics.groups import gather
from stages.metrics.testing import DISPARITY, benjamini_hochberg
from stages.reporting.figures import COLOURS, STYLE, tidy

GENDERS, RACES, OTHERS, TPR = 2, 5, 100, 0.7
SETS = [("gender",), ("race",), ("gender", "race")]
GROUP, SET, SINGLE, THEIRS = (
    "our test of the group",
    "our tests of any group of its set",
    "our tests of single attributes",
    "fairlearn's interval is above 0",
)
SCENARIOS = list(product((10, 30, 100), (0.0, 0.1, 0.2, 0.3, 0.4)))
REPLICATES, A_PEER_STUDY = 100, 10  # a study of fairlearn takes a second: few replicates, and one study in so many


def study(seed: int, people: int, deficit: float, studies: int) -> dict[str, Share]:
    """Shares of studies in which each of four calls the deficit of one intersection, with as many ``people`` with a favourable label."""
    random = np.random.default_rng([4, seed])
    sizes, tpr = np.full(GENDERS * RACES, OTHERS), np.full(GENDERS * RACES, TPR)
    sizes[0], tpr[0] = people, TPR - deficit
    favourable, others = (World(sizes, 1, np.full(len(sizes), base), tpr, np.full(len(sizes), 0.1)) for base in (1.0, 0.0))
    found = []
    for number in range(studies):
        parts = [truth.draw(random) for truth in (favourable, others)]
        group = np.concatenate([group for group, _ in parts])
        frame = pd.concat([frame for _, frame in parts], ignore_index=True).assign(author_id=np.arange(len(group)))
        for name, value in (("gender", group % GENDERS), ("race", group // GENDERS)):
            frame[f"{name}_value"] = np.char.mod(f"{name}%d", value)
            frame[name] = np.where(value == value.max(), "privileged", "protected")
        found.append(once(frame) | {THEIRS: fairlearn(frame, number) if number % A_PEER_STUDY == 0 else np.nan})
    return shares(found)


def once(frame: pd.DataFrame) -> dict[str, float]:
    """One study by our tests: verdicts of the group, of any of both attributes, and q over the two single attributes."""
    gathered = gather(frame, SETS)
    found = estimates(gathered)
    measured = {metric: found[metric] for metric in ("selection_rate", "tpr", "fpr")}
    tests, _ = compare_groups(gathered, measured, RULES)
    scored = score_groups(gathered, measured, tests, RULES)
    called = scored[(scored["metric"] == "tpr") & (scored["comparison"] == FROM_EVERYONE) & (scored["verdict"] == DISPARITY)]
    p_values = [np.nanmin(tests["tpr"].p_values[gathered.lattice.of(SETS.index(names))]) for names in (("gender",), ("race",))]
    return {
        GROUP: float((called["group"] == "gender0, race0").any()),
        SET: float((called["attributes"] == "gender+race").any()),
        SINGLE: float((benjamini_hochberg(np.array(p_values)) <= RULES.level).any()),
    }


def fairlearn(frame: pd.DataFrame, seed: int) -> float:
    """Whether fairlearn's bootstrap interval of the largest difference of TPRs lies above 0."""
    low, _ = MetricFrame(
        metrics=true_positive_rate,
        y_true=frame["favourable"],
        y_pred=frame["y_pred"],
        sensitive_features=frame["gender_value"] + ", " + frame["race_value"],
        n_boot=REPLICATES,
        ci_quantiles=[0.025, 0.975],
        random_state=seed,
    ).difference_ci(method="between_groups")
    return float(low > 0)


def figure(found: dict[tuple[int, float], dict[str, Share]]) -> str:
    """Power curves as SVG: one panel for each number of people."""
    import altair as alt

    points = [
        {"people": f"{people} people", "deficit": deficit, "called by": name, "share": share.value}
        for (people, deficit), by_name in found.items()
        for name, share in by_name.items()
    ]
    names = [GROUP, SET, SINGLE, THEIRS]
    order = list(dict.fromkeys(point["people"] for point in points))
    chart = (
        alt.Chart(pd.DataFrame(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("deficit:Q", title="planted deficit of TPR", axis=alt.Axis(tickCount=5)),
            y=alt.Y("share:Q", title="share of studies that call a disparity", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "called by:N", sort=names, scale=alt.Scale(domain=names, range=list(COLOURS[:4])), legend=alt.Legend(labelLimit=300)
            ),
            strokeDash=alt.StrokeDash("called by:N", sort=names, legend=None),
            column=alt.Column("people:N", sort=order, title=None),
        )
    )
    drawing = io.StringIO()
    chart.properties(width=190, height=220).configure(**STYLE).save(drawing, format="svg")
    return tidy(drawing.getvalue())
