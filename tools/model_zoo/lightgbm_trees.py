"""Models of LightGBM, exported by onnxmltools."""
import functools

import lightgbm

from .boosted_trees import Boosted

Row = functools.partial(Boosted, convert="convert_lightgbm", framework=f"lightgbm {lightgbm.__version__}")
COMMON = {"n_estimators": 8, "num_leaves": 7, "random_state": 0, "n_jobs": 1, "verbose": -1}


def classifier(**options):
    return lightgbm.LGBMClassifier(**COMMON | options)


def regressor(**options):
    return lightgbm.LGBMRegressor(**COMMON | options)


MODELS = [
    Row("binary", "cancer", lambda: classifier()),
    Row("binary_bare_output", "cancer", lambda: classifier(), options={"zipmap": False}),
    Row("binary_names", "cancer_names", lambda: classifier()),
    Row("multi", "wine", lambda: classifier()),
    Row("multi_bare_output", "wine", lambda: classifier(), options={"zipmap": False}),
    Row("one_vs_all", "wine", lambda: classifier(objective="multiclassova")),
    Row("holes", "cancer_holes", lambda: classifier()),
    Row("dart", "cancer", lambda: classifier(boosting_type="dart")),
    Row("forest", "cancer", lambda: classifier(boosting_type="rf", subsample=0.8, subsample_freq=1)),
    Row("regressor", "diabetes", lambda: regressor()),
    Row("regressor_split", "diabetes", lambda: regressor(), options={"split": 3}),
    Row("regressor_poisson", "diabetes_positive", lambda: regressor(objective="poisson")),
    Row("regressor_quantile", "diabetes", lambda: regressor(objective="quantile", alpha=0.8)),
    Row("regressor_huber", "regression", lambda: regressor(objective="huber")),
    Row("binary_opset9", "cancer", lambda: classifier(), opset=9),
    Row("binary_opset12", "cancer", lambda: classifier(), opset=12),
    Row("multi_opset15", "wine", lambda: classifier(), opset=15),
]
