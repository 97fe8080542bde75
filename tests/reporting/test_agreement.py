"""Challenges beside each other: tasks of two languages meet, terms of two groups meet, and few cells tell nothing."""

import pandas as pd

from stages.reporting import agreement
from stages.reporting.contrasted import deciding
from tests.reporting.contrasts import BLACK, LATINO, REFERENCES, design, rows

MODELS = ("a", "b", "c", "d", "e")


def table(found, tasks=("joy_en", "joy_es"), models=MODELS):
    return agreement.table(deciding(pd.DataFrame(found), 0.05), design(tasks, models), REFERENCES)


def scaled(effects, by):
    return {term: effect * by for term, effect in effects.items()}


def test_tasks_alike_but_for_their_language_are_one_cell_a_model():
    found = []
    for place, model in enumerate(MODELS, 1):
        found += rows(scaled(BLACK, place), model=model)
        found += rows(scaled(LATINO, -place if model == "e" else place * place), model=model, corpus="anglo_latino", task="joy_es")
    shown = table(found)
    assert [row[:3] for row in shown.rows] == [
        ["black_white\nanglo_latino", "gender", "female beside male"],
        ["black_white\nanglo_latino", "group", "Black beside white / Latino beside Anglo"],
        ["black_white\nanglo_latino", "gender x group", "female x Black, beyond either / female x Latino, beyond either"],
    ]
    # Ranks 1 2 3 4 5 beside 2 3 4 5 1: rho = 1 - 6 (4 + 16) / (5 24) = 0. Women: .01 x 4, 9, 16 and -.05 differ, all beside .05 or more.
    assert shown.rows[0][3:] == ["5", "4 of 5", "3 of 4", "+0.00"]
    assert shown.rows[1][3:] == ["5", "0 of 5", "0 of 0", "undefined: the effects do not vary"]


def test_another_emotion_is_another_task_and_few_cells_tell_nothing():
    found = rows(BLACK, model="a") + rows(LATINO, model="a", corpus="anglo_latino", task="fear_es", emotion="fear")
    assert table(found, ("joy_en", "fear_es")).rows == [
        ["black_white\nanglo_latino", "-", "-", "0", "-", "-", "cannot tell: fewer than 5 cells"]
    ]
    one = rows(BLACK, model="a") + rows(LATINO, model="a", corpus="anglo_latino")
    assert table(one).rows[0][3:] == ["1", "1 of 1", "0 of 0", "cannot tell: fewer than 5 cells"]


def test_a_task_that_both_were_put_to_meets_itself_alone():
    found = [row for task in ("joy_en", "joy_es") for corpus in REFERENCES for row in rows(BLACK, model="a", task=task, corpus=corpus)]
    assert {row[3] for row in table(found).rows} == {"2"}


def test_of_several_groups_only_the_same_meet():
    three = BLACK | {"group[Asian]": 0.03}
    found = rows(three, model="a") + rows({"group[Asian]": 0.04, "group[Latino]": 0.01}, model="a", corpus="anglo_latino")
    assert [row[1:5] for row in table(found).rows] == [["group", "Asian beside white / Asian beside Anglo", "1", "1 of 1"]]


def test_one_challenge_has_nothing_to_agree_with():
    assert table(rows(BLACK, model="a")) is None
