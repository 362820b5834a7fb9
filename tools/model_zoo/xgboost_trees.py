"""Models of XGBoost, exported by onnxmltools."""
import functools

import xgboost

from .boosted_trees import Boosted

Row = functools.partial(Boosted, convert="convert_xgboost", framework=f"xgboost {xgboost.__version__}")


def classifier(**options):
    return xgboost.XGBClassifier(n_estimators=8, max_depth=3, random_state=0, n_jobs=1, **options)


def regressor(**options):
    return xgboost.XGBRegressor(n_estimators=8, max_depth=3, random_state=0, n_jobs=1, **options)


MODELS = [
    Row("binary", "cancer", lambda: classifier()),
    Row("multi", "wine", lambda: classifier()),
    Row("digits", "digits", lambda: classifier()),
    Row("holes", "cancer_holes", lambda: classifier()),
    Row("base_score", "cancer", lambda: classifier(base_score=0.3)),
    Row("stumps", "cancer", lambda: xgboost.XGBClassifier(n_estimators=4, max_depth=1, n_jobs=1)),
    Row("dart", "cancer", lambda: classifier(booster="dart")),
    Row("linear_booster", "cancer_scaled", lambda: xgboost.XGBClassifier(n_estimators=4, booster="gblinear", n_jobs=1)),
    Row("forest", "wine", lambda: xgboost.XGBRFClassifier(n_estimators=5, max_depth=4, random_state=0, n_jobs=1)),
    Row("regressor", "diabetes", lambda: regressor()),
    Row("regressor_absolute", "diabetes", lambda: regressor(objective="reg:absoluteerror")),
    Row("regressor_poisson", "diabetes_positive", lambda: regressor(objective="count:poisson")),
    Row("regressor_three_targets", "regressions", lambda: regressor()),
    Row("regressor_forest", "diabetes", lambda: xgboost.XGBRFRegressor(n_estimators=5, max_depth=4, n_jobs=1)),
    Row("binary_opset9", "cancer", lambda: classifier(), opset=9),
    Row("binary_opset12", "cancer", lambda: classifier(), opset=12),
    Row("multi_opset15", "wine", lambda: classifier(), opset=15),
]
