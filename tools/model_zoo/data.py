"""Data to fit models on: the sets that ship with scikit-learn, and synthetic ones. All of it is deterministic."""
import dataclasses
import functools

import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split

ROWS = 30  # inputs to run
TRAIN = 300  # inputs to calibrate on, at most


@dataclasses.dataclass
class Table:
    """Features as an array, or as a pandas table of typed columns, with a target; split into fit and rows to run."""
    fit: object
    rows: object
    target: np.ndarray


def split(features, target):
    classes = target if np.asarray(target).ndim == 1 and len(np.unique(target)) < 12 else None
    fit, rows, fit_target, _ = train_test_split(features, target, random_state=0, stratify=classes)
    return Table(fit, rows[:ROWS], fit_target)


@functools.cache
def table(name):
    """The data set of this name, see SETS."""
    return SETS[name]()


def shipped(load):
    return lambda: split(*load(return_X_y=True))


def counts():
    """Images of digits as counts: what the multinomial models want."""
    features, target = datasets.load_digits(return_X_y=True)
    return split(np.floor(features), target)


def relabelled(load, rename):
    def make():
        bunch = load()
        return split(bunch.data, rename(bunch))
    return make


def names(bunch):
    return np.asarray(bunch.target_names).astype(str)[bunch.target]


def holes(name, share=0.1):
    """A data set with missing values: NaN in a share of the cells."""
    def make():
        whole = table(name)
        random = np.random.default_rng(0)
        fit, rows = whole.fit.copy(), whole.rows.copy()
        for values in (fit, rows):
            values[random.random(values.shape) < share] = np.nan
        return Table(fit, rows, whole.target)
    return make


def standardised(name):
    def make():
        whole = table(name)
        mean, spread = whole.fit.mean(0), whole.fit.std(0) + 1e-9
        return Table((whole.fit - mean) / spread, (whole.rows - mean) / spread, whole.target)
    return make


def few(name, count):
    """The first rows only: for models that keep their training rows."""
    def make():
        whole = table(name)
        return Table(whole.fit[:count], whole.rows, whole.target[:count])
    return make


def positive(name):
    def make():
        whole = table(name)
        return Table(whole.fit, whole.rows, whole.target / 100 + 0.1)
    return make


def regression(outputs):
    features, target = datasets.make_regression(400, 8, n_informative=6, n_targets=outputs, noise=5, random_state=0)
    return split(features, target / 50)


def classes(**options):
    return lambda: split(*datasets.make_classification(400, random_state=0, **options))


def multilabel():
    return split(*datasets.make_multilabel_classification(400, 12, n_classes=3, random_state=0))


def multioutput_classes():
    features, target = datasets.make_classification(400, 8, n_informative=5, n_classes=3, random_state=0)
    return split(features, np.stack([target, (features[:, 0] > 0).astype(int)], axis=1))


def categories():
    """Small whole numbers: levels of five categorical features."""
    random = np.random.default_rng(0)
    features = random.integers(0, [3, 4, 2, 5, 3], (400, 5))
    target = (features[:, 0] + features[:, 3] + random.integers(0, 3, 400) > 4).astype(int)
    return split(features, target)


def customers():
    """A table of typed columns: numbers, whole numbers, texts and truth values, as a user has in pandas."""
    import pandas
    random = np.random.default_rng(0)
    count = 400
    frame = pandas.DataFrame({
        "age": random.integers(18, 90, count),
        "income": np.round(random.lognormal(10, 0.5, count), 2),
        "balance": np.round(random.normal(0, 1000, count), 2),
        "city": random.choice(["Berlin", "Lima", "Osaka", "Tunis"], count),
        "plan": random.choice(["basic", "plus", "pro"], count, p=[0.6, 0.3, 0.1]),
        "owner": random.random(count) < 0.4,
    })
    score = frame.age / 40 - frame.balance / 800 + (frame.plan == "basic") + random.normal(0, 0.5, count)
    return split(frame, (score > score.median()).to_numpy().astype(int))


def customer_numbers():
    whole = table("customers")
    columns = ["age", "income", "balance"]
    return Table(whole.fit[columns].astype(float), whole.rows[columns].astype(float), whole.target)


def customers_in_reals():
    whole = table("customers")
    kinds = {"age": float}
    return Table(whole.fit.astype(kinds), whole.rows.astype(kinds), whole.target)


def levels(rename=None):
    """One column of a category, as transformers of labels take it."""
    column = np.random.default_rng(0).choice([2, 3, 5, 8], 200)
    return split(np.array(rename)[column // 2 - 1].reshape(-1, 1) if rename else column.reshape(-1, 1), column)


def sentences():
    """Short synthetic texts in two kinds."""
    random = np.random.default_rng(0)
    weather, market = "sun rain wind cloud storm warm cold".split(), "price share bank trade profit loss fund".split()
    target = random.integers(0, 2, 200)
    texts = [" ".join(random.choice((market if t else weather) + ["the", "and", "today"], 6)) for t in target]
    return split(np.array(texts).reshape(-1, 1), target)


SETS = {
    "iris": shipped(datasets.load_iris),
    "wine": shipped(datasets.load_wine),
    "cancer": shipped(datasets.load_breast_cancer),
    "digits": shipped(datasets.load_digits),
    "diabetes": shipped(datasets.load_diabetes),
    "counts": counts,
    "iris_names": relabelled(datasets.load_iris, names),
    "cancer_names": relabelled(datasets.load_breast_cancer, names),
    "cancer_truth": relabelled(datasets.load_breast_cancer, lambda bunch: bunch.target == 1),
    "cancer_signs": relabelled(datasets.load_breast_cancer, lambda bunch: 2 * bunch.target - 1),
    "iris_signs": relabelled(datasets.load_iris, lambda bunch: bunch.target - 1),
    "iris_gaps": relabelled(datasets.load_iris, lambda bunch: np.array([-7, 40, 1000])[bunch.target]),
    "cancer_holes": holes("cancer"),
    "wine_holes": holes("wine"),
    "diabetes_holes": holes("diabetes"),
    "wine_scaled": standardised("wine"),
    "cancer_scaled": standardised("cancer"),
    "digits_scaled": standardised("digits"),
    "wine_few": few("wine_scaled", 60),
    "cancer_few": few("cancer_scaled", 60),
    "iris_few": few("iris", 40),
    "diabetes_few": few("diabetes", 60),
    "diabetes_positive": positive("diabetes"),
    "regression": lambda: regression(1),
    "regressions": lambda: regression(3),
    "blobs": classes(n_features=6, n_informative=4),
    "blobs4": classes(n_features=8, n_informative=6, n_classes=4),
    "multilabel": multilabel,
    "multioutput": multioutput_classes,
    "categories": categories,
    "customers": customers,
    "customer_numbers": customer_numbers,
    "customers_in_reals": customers_in_reals,
    "levels": levels,
    "level_names": lambda: levels(["low", "middle", "high", "top"]),
    "sentences": sentences,
}
