"""The tables of identity swaps: texts rewritten to be about somebody else, what models say of both, and whom that favours."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# Every text with what became of it in each swap. A swap exchanges two groups of an attribute, `first` and `second`; `direction` is
# "first to second" where the text mentions the first alone, "second to first", or "both" where it mentions both and they change
# places; null where it mentions neither. outcome: swapped | ambiguous (the role of a word is open, or it has no partner; `reason`
# names the words) | unchanged (it mentions neither) | not English. `text` is the swapped text, null unless swapped. The groups are
# those that a text mentions, which says nothing of who wrote it.
Swaps = Annotated[
    pa.Table,
    At(
        "data/swap/{task}.parquet",
        (
            ("doc_id", "string"),
            ("attribute", "string"),
            ("first", "string"),
            ("second", "string"),
            ("direction", "string?"),
            ("outcome", "string"),
            ("changed", "int64"),
            ("text", "string?"),
            ("reason", "string?"),
        ),
        key=("doc_id", "attribute", "first", "second"),
    ),
]
# What a cell's models say of swapped texts and of their originals: the model of the text's own fold, which did not learn from it.
# `original` and `swapped`: the probability of favourable or, of a regression, the output on a scale where the least favourable label
# is 0 and the most favourable 1, 6 decimals; decisions are made from the score alone. `favourable`: the text's label.
SwapResponses = Annotated[
    pa.Table,
    At(
        "data/respond/{task}/{model}.swaps.parquet",
        (
            ("doc_id", "string"),
            ("author_id", "string"),
            ("attribute", "string"),
            ("first", "string"),
            ("second", "string"),
            ("direction", "string"),
            ("favourable", "bool"),
            ("original", "double"),
            ("swapped", "double"),
            ("original_decision", "bool"),
            ("swapped_decision", "bool"),
        ),
        key=("doc_id", "attribute", "first", "second"),
    ),
]
# One swap, direction and label of a cell a row. direction: as in Swaps, or "either" (each text that mentions one of both, whichever);
# label: favourable | unfavourable | all. convention crossbias: the group is favoured with which the favourable score is higher;
# assessment2021 (label all): with which the model is surer of the text's own label, as the paper has it. favours_first,
# favours_second, unchanged: texts, at 4 decimals; p_value: exact sign test without the unchanged. change: mean of (score with the
# first group - score with the second), of assessment2021 with its sign turned where the label is unfavourable: above 0 favours the
# first; its interval takes an author's texts together. token_fairness: mean |change|, parity 0. flipped: decisions that the swap
# changes; only_first: favourable with the first group alone. Of direction "both" there is no first or second: those are null.
SwapEffects = Annotated[
    pa.Table,
    At(
        "data/contrast/swaps.parquet",
        (
            ("task", "string"),
            ("model", "string"),
            ("attribute", "string"),
            ("first", "string"),
            ("second", "string"),
            ("direction", "string"),
            ("label", "string"),
            ("convention", "string"),
            ("texts", "int64"),
            ("authors", "int64"),
            ("favours_first", "int64?"),
            ("favours_second", "int64?"),
            ("unchanged", "int64"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("change", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("token_fairness", "double"),
            ("flipped", "int64"),
            ("only_first", "int64?"),
            ("only_second", "int64?"),
            ("reason", "string?"),
        ),
        key=("task", "model", "attribute", "first", "second", "direction", "label", "convention"),
    ),
]
# One figure of one group of people that the sentences of a labelled challenge mention ("women, Muslim people" of gender+religion).
# metric: difference (mean of the favourable score - that of the same sentence about the other groups, parity 0), cb_sum and cb_mean
# (the same with its sign turned where the label is unfavourable: above 0 the model is surer of the labels of this group's sentences),
# subgroup_auc, bpsn_auc, bnsp_auc (1 is perfect, 1/2 chance). Intervals and p_value (difference, cb_mean) take a template's sentences
# together. n: sentences about the group; templates: those they are made from.
Identities = Annotated[
    pa.Table,
    At(
        "data/contrast/identities.parquet",
        (
            ("challenge", "string"),
            ("task", "string"),
            ("model", "string"),
            ("attributes", "string"),
            ("order", "int64"),
            ("group", "string"),
            ("metric", "string"),
            ("value", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("n", "int64"),
            ("templates", "int64"),
            ("reason", "string?"),
        ),
        key=("challenge", "task", "model", "attributes", "group", "metric"),
    ),
]
