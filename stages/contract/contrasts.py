"""The tables of contrast: what who is named does to the scores of template sentences, and how well each regression fits."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One term of one regression a row ("race[Latino]:gender[female]"), by each method: beta_expected and beta_observed are the paper's test
# with either information, beta_cluster the same estimate with clusters, mixed random effects of templates and names,
# ols_as_published the published convention. `estimate` is on the scale that `scale` names (logit or score), `statistic` is t on
# `degrees` of freedom or, where these are null, z; `q_value` is adjusted for all terms of the method over corpora x tasks x models.
# Where the design lets the precision depend on attributes, `beta_cluster_precision` and so on are its coefficients: `scale` is then
# "log precision" and there is no effect on the score.
# `response_effect`: the change of the mean score, averaged over everything else, with its own test and q-value: a coefficient stands
# beside the reference of every other attribute. `n`: sentences; `squeezed`: scores not inside (0, 1).
Contrasts = Annotated[
    pa.Table,
    At(
        "data/contrast/contrasts.parquet",
        (
            ("corpus", "string"),
            ("task", "string"),
            ("model", "string"),
            ("emotion", "string"),
            ("method", "string"),
            ("term", "string"),
            ("scale", "string"),
            ("estimate", "double?"),
            ("standard_error", "double?"),
            ("statistic", "double?"),
            ("degrees", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("stars", "string"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("response_effect", "double?"),
            ("response_standard_error", "double?"),
            ("response_degrees", "double?"),
            ("response_p_value", "double?"),
            ("response_q_value", "double?"),
            ("response_low", "double?"),
            ("response_high", "double?"),
            ("n", "int64"),
            ("squeezed", "int64"),
            ("reason", "string?"),
        ),
        key=("corpus", "task", "model", "emotion", "method", "term"),
    ),
]
# One Beta regression a row. `precision`: phi where it is constant; lr_any and lr_interaction: likelihood ratios against no attribute
# and against main effects alone, which take sentences for independent.
ContrastFits = Annotated[
    pa.Table,
    At(
        "data/contrast/fits.parquet",
        (
            ("corpus", "string"),
            ("task", "string"),
            ("model", "string"),
            ("emotion", "string"),
            ("n", "int64"),
            ("squeezed", "int64"),
            ("precision", "double?"),
            ("log_likelihood", "double?"),
            ("pseudo_r2", "double?"),
            ("lr_any", "double?"),
            ("lr_any_degrees", "int64?"),
            ("lr_any_p", "double?"),
            ("lr_interaction", "double?"),
            ("lr_interaction_degrees", "int64?"),
            ("lr_interaction_p", "double?"),
            ("reason", "string?"),
        ),
        key=("corpus", "task", "model", "emotion"),
    ),
]
