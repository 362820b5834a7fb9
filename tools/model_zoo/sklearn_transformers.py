"""Transformers of scikit-learn alone and before an estimator, and pipelines on tables of typed columns."""
import numpy as np
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import (NMF, PCA, FactorAnalysis, FastICA, IncrementalPCA, KernelPCA, SparsePCA,
                                   TruncatedSVD)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, RandomTreesEmbedding
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import (RFE, RFECV, GenericUnivariateSelect, SelectFdr, SelectFpr, SelectFromModel,
                                       SelectFwe, SelectKBest, SelectPercentile, SequentialFeatureSelector,
                                       VarianceThreshold, f_classif)
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsTransformer, NeighborhoodComponentsAnalysis
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (Binarizer, FunctionTransformer, KBinsDiscretizer, LabelBinarizer,
                                   LabelEncoder, MaxAbsScaler, MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder,
                                   PolynomialFeatures, PowerTransformer, QuantileTransformer, RobustScaler,
                                   SplineTransformer, StandardScaler, TargetEncoder)
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.svm import SVC, LinearSVC

from .sklearn_export import Fitted


def then_logistic(*steps):
    return make_pipeline(*steps, LogisticRegression(max_iter=3000))


def then_ridge(*steps):
    return make_pipeline(*steps, Ridge())


# Each is exported alone and, where a classifier can follow it, before one.
TRANSFORMERS = [
    ("standard_scaler", "cancer", lambda: StandardScaler()),
    ("standard_scaler_mean_only", "cancer", lambda: StandardScaler(with_std=False)),
    ("standard_scaler_spread_only", "cancer", lambda: StandardScaler(with_mean=False)),
    ("min_max_scaler", "cancer", lambda: MinMaxScaler()),
    ("min_max_scaler_clip", "cancer", lambda: MinMaxScaler((-1, 1), clip=True)),
    ("max_abs_scaler", "cancer", lambda: MaxAbsScaler()),
    ("robust_scaler", "cancer", lambda: RobustScaler()),
    ("robust_scaler_wide", "cancer", lambda: RobustScaler(quantile_range=(5, 95), with_centering=False)),
    ("normalizer_l2", "digits", lambda: Normalizer()),
    ("normalizer_l1", "digits", lambda: Normalizer("l1")),
    ("normalizer_max", "digits", lambda: Normalizer("max")),
    ("power_yeo_johnson", "wine", lambda: PowerTransformer()),
    ("power_box_cox", "wine", lambda: PowerTransformer("box-cox")),
    ("power_not_standardised", "wine", lambda: PowerTransformer(standardize=False)),
    ("quantile_uniform", "wine", lambda: QuantileTransformer(n_quantiles=20, random_state=0)),
    ("k_bins_onehot_dense", "wine",
     lambda: KBinsDiscretizer(4, encode="onehot-dense", quantile_method="averaged_inverted_cdf")),
    ("k_bins_ordinal", "wine",
     lambda: KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")),
    ("k_bins_uniform", "wine", lambda: KBinsDiscretizer(4, encode="ordinal", strategy="uniform")),
    ("binarizer", "digits", lambda: Binarizer(threshold=7.5)),
    ("polynomial", "iris", lambda: PolynomialFeatures(2)),
    ("polynomial_interaction", "iris", lambda: PolynomialFeatures(2, interaction_only=True)),
    ("polynomial_cubic_no_bias", "iris", lambda: PolynomialFeatures(3, include_bias=False)),
    ("function_identity", "iris", lambda: FunctionTransformer()),
    ("pca", "cancer_scaled", lambda: PCA(5)),
    ("pca_whiten", "cancer_scaled", lambda: PCA(5, whiten=True)),
    ("incremental_pca", "cancer_scaled", lambda: IncrementalPCA(5)),
    ("kernel_pca_rbf", "wine_few", lambda: KernelPCA(3, kernel="rbf")),
    ("kernel_pca_poly", "wine_few", lambda: KernelPCA(3, kernel="poly", degree=2)),
    ("kernel_pca_linear", "wine_few", lambda: KernelPCA(3)),
    ("kernel_pca_sigmoid", "wine_few", lambda: KernelPCA(3, kernel="sigmoid")),
    ("kernel_pca_cosine", "wine_few", lambda: KernelPCA(3, kernel="cosine")),
    ("truncated_svd", "digits", lambda: TruncatedSVD(8, random_state=0)),
    ("lda_transform", "wine", lambda: LinearDiscriminantAnalysis(n_components=2)),
    ("nca", "wine_scaled", lambda: NeighborhoodComponentsAnalysis(3, random_state=0)),
    ("gaussian_projection", "digits", lambda: GaussianRandomProjection(8, random_state=0)),
    ("imputer_mean", "cancer_holes", lambda: SimpleImputer()),
    ("imputer_median", "cancer_holes", lambda: SimpleImputer(strategy="median")),
    ("imputer_most_frequent", "cancer_holes", lambda: SimpleImputer(strategy="most_frequent")),
    ("imputer_constant", "cancer_holes", lambda: SimpleImputer(strategy="constant", fill_value=-1)),
    ("imputer_indicator", "cancer_holes", lambda: SimpleImputer(add_indicator=True)),
    ("imputer_neighbours", "wine_holes", lambda: KNNImputer(n_neighbors=3)),
    ("select_k_best", "cancer", lambda: SelectKBest(f_classif, k=6)),
    ("select_percentile", "cancer", lambda: SelectPercentile(percentile=20)),
    ("select_from_model", "cancer_scaled", lambda: SelectFromModel(LogisticRegression())),
    ("select_from_forest", "wine", lambda: SelectFromModel(RandomForestClassifier(5, random_state=0))),
    ("select_fpr", "cancer", lambda: SelectFpr()),
    ("select_fdr", "cancer", lambda: SelectFdr()),
    ("select_fwe", "cancer", lambda: SelectFwe()),
    ("select_generic", "cancer", lambda: GenericUnivariateSelect(mode="k_best", param=5)),
    ("rfe", "cancer_scaled", lambda: RFE(LogisticRegression(), n_features_to_select=5)),
    ("rfe_cv", "iris", lambda: RFECV(LogisticRegression(max_iter=1000), cv=3)),
    ("variance_threshold", "digits", lambda: VarianceThreshold(1.0)),
    ("one_hot", "categories", lambda: OneHotEncoder()),
    ("one_hot_dense", "categories", lambda: OneHotEncoder(sparse_output=False)),
    ("one_hot_drop_first", "categories", lambda: OneHotEncoder(drop="first")),
    ("one_hot_ignore", "categories", lambda: OneHotEncoder(handle_unknown="ignore")),
    ("ordinal", "categories", lambda: OrdinalEncoder()),
    ("ordinal_unknown", "categories", lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)),
    ("target_encoder", "categories", lambda: TargetEncoder(random_state=0)),
    ("neighbors_transformer", "iris_few", lambda: KNeighborsTransformer(n_neighbors=3)),
]
# Those that skl2onnx refuses so far.
WITHOUT_CONVERTER = [
    ("quantile_normal", "wine",
     lambda: QuantileTransformer(n_quantiles=20, output_distribution="normal", random_state=0)),
    ("k_bins_onehot", "wine", lambda: KBinsDiscretizer(4, quantile_method="averaged_inverted_cdf")),
    ("spline", "iris", lambda: SplineTransformer()),
    ("function_log", "wine", lambda: FunctionTransformer(np.log1p)),
    ("factor_analysis", "wine_scaled", lambda: FactorAnalysis(4, random_state=0)),
    ("fast_ica", "wine_scaled", lambda: FastICA(4, random_state=0)),
    ("nmf", "counts", lambda: NMF(4, random_state=0)),
    ("sparse_pca", "wine_scaled", lambda: SparsePCA(3, random_state=0)),
    ("sparse_projection", "digits", lambda: SparseRandomProjection(8, random_state=0)),
    ("rbf_sampler", "wine_scaled", lambda: RBFSampler(n_components=20, random_state=0)),
    ("nystroem", "wine_scaled", lambda: Nystroem(n_components=20, random_state=0)),
    ("imputer_zero_is_missing", "digits", lambda: SimpleImputer(missing_values=0)),
    ("missing_indicator", "wine_holes", lambda: MissingIndicator()),
    ("select_sequential", "iris", lambda: SequentialFeatureSelector(LogisticRegression(), n_features_to_select=2)),
    ("one_hot_infrequent", "categories", lambda: OneHotEncoder(min_frequency=60)),
    ("trees_embedding", "iris", lambda: RandomTreesEmbedding(5, max_depth=3, random_state=0)),
]
UNFOLLOWED = ("lda_transform", "neighbors_transformer", "imputer_indicator")  # by what skl2onnx converts
WHOLE = ("one_hot", "ordinal", "target_encoder")  # those that also read whole numbers
ALONE = [Fitted(name, table, make) for name, table, make in TRANSFORMERS + WITHOUT_CONVERTER]
FOLLOWED = [Fitted(f"{name}_logreg", table, lambda make=make: then_logistic(make()))
            for name, table, make in TRANSFORMERS if name not in UNFOLLOWED]
INTEGERS = [Fitted(f"{name}_int64", table, make, scalar=np.int64)
            for name, table, make in TRANSFORMERS if name.startswith(WHOLE)]
DOUBLES = [Fitted(f"{name}_double", table, make, scalar=np.float64) for name, table, make in TRANSFORMERS
           if name in ("standard_scaler", "min_max_scaler", "pca", "normalizer_l2")]
LABELS = [
    Fitted("label_encoder", "levels", lambda: LabelEncoder(), scalar=np.int64),
    Fitted("label_binarizer", "levels", lambda: LabelBinarizer(), scalar=np.int64),
    Fitted("label_encoder_names", "level_names", lambda: LabelEncoder()),
]

CHAINS = [
    Fitted("impute_scale_logreg", "cancer_holes", lambda: then_logistic(SimpleImputer(), StandardScaler())),
    Fitted("impute_scale_mlp", "wine_holes",
           lambda: make_pipeline(SimpleImputer(strategy="median"), StandardScaler(),
                                 MLPClassifier((8,), max_iter=300, random_state=0))),
    Fitted("impute_ridge", "diabetes_holes", lambda: then_ridge(SimpleImputer())),
    Fitted("scale_pca_svc", "digits", lambda: make_pipeline(StandardScaler(), PCA(10), SVC(C=10))),
    Fitted("scale_pca_linear_svc", "digits", lambda: make_pipeline(StandardScaler(), PCA(10), LinearSVC()),
           options={LinearSVC: {}}),
    Fitted("scale_pca_mlp", "digits",
           lambda: make_pipeline(StandardScaler(), PCA(16), MLPClassifier((16,), max_iter=200, random_state=0))),
    Fitted("scale_polynomial_logreg", "iris_names", lambda: then_logistic(StandardScaler(), PolynomialFeatures(2))),
    Fitted("scale_polynomial_linear", "diabetes",
           lambda: make_pipeline(StandardScaler(), PolynomialFeatures(2, interaction_only=True), LinearRegression())),
    Fitted("select_scale_logreg", "cancer", lambda: then_logistic(SelectKBest(k=8), StandardScaler())),
    Fitted("three_scalers", "wine", lambda: then_logistic(StandardScaler(), MinMaxScaler(), RobustScaler())),
    Fitted("union", "wine", lambda: make_union(StandardScaler(), PCA(3))),
    Fitted("union_weights", "wine",
           lambda: FeatureUnion([("scaled", StandardScaler()), ("projected", PCA(3))],
                                transformer_weights={"scaled": 2})),
    Fitted("union_logreg", "wine", lambda: then_logistic(make_union(MinMaxScaler(), PCA(3)))),
    Fitted("union_select_logreg", "cancer", lambda: then_logistic(make_union(PCA(3), SelectKBest(k=4)))),
    Fitted("nested_pipeline", "cancer",
           lambda: Pipeline([("prepare", make_pipeline(StandardScaler(), PCA(6))), ("model", LogisticRegression())])),
    Fitted("scaler_only_pipeline", "wine", lambda: make_pipeline(StandardScaler(), PCA(3))),
]

NUMBERS = ["age", "income", "balance"]
TEXTS = ["city", "plan"]


def by_type(numbers, **options):
    """The usual preprocessing of a table: one treatment for numbers, one-hot for texts."""
    return ColumnTransformer([("numbers", numbers, NUMBERS), ("texts", OneHotEncoder(handle_unknown="ignore"), TEXTS)],
                             **options)


COLUMNS = [
    Fitted("columns_by_index", "wine",
           lambda: then_logistic(ColumnTransformer([("scale", StandardScaler(), [0, 1, 2]),
                                                    ("range", MinMaxScaler(), slice(3, 8))]))),
    Fitted("columns_passthrough", "wine",
           lambda: then_logistic(ColumnTransformer([("scale", StandardScaler(), [0, 4, 12])],
                                                   remainder="passthrough"))),
    Fitted("columns_remainder_scaled", "cancer",
           lambda: then_logistic(ColumnTransformer([("log", FunctionTransformer(), [0, 1])],
                                                   remainder=StandardScaler()))),
    Fitted("columns_dropped", "cancer",
           lambda: then_logistic(ColumnTransformer([("scale", StandardScaler(), list(range(5))),
                                                    ("none", "drop", [5, 6])]))),
    Fitted("columns_nested", "wine",
           lambda: then_logistic(ColumnTransformer([("project", make_pipeline(StandardScaler(), PCA(2)), [0, 1, 2, 3]),
                                                    ("bins", KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
                                                     [5, 6])]))),
    Fitted("columns_of_numbers", "customer_numbers",
           lambda: then_logistic(ColumnTransformer([("scale", StandardScaler(), NUMBERS)]))),
    Fitted("columns_of_numbers_mlp", "customer_numbers",
           lambda: make_pipeline(ColumnTransformer([("scale", StandardScaler(), NUMBERS)]),
                                 MLPClassifier((8,), max_iter=300, random_state=0))),
    Fitted("columns_of_numbers_two_scalers", "customer_numbers",
           lambda: then_logistic(make_column_transformer((StandardScaler(), ["age"]),
                                                         (RobustScaler(), ["income", "balance"])))),
    Fitted("columns_typed", "customers", lambda: then_logistic(by_type(StandardScaler()))),
    Fitted("columns_typed_bare_output", "customers", lambda: then_logistic(by_type(StandardScaler())),
           options={"zipmap": False}),
    Fitted("columns_typed_imputed", "customers_in_reals",
           lambda: then_logistic(by_type(make_pipeline(SimpleImputer(strategy="median"), StandardScaler())))),
    Fitted("columns_typed_dense", "customers", lambda: then_logistic(by_type(MinMaxScaler(), sparse_threshold=0))),
    Fitted("columns_typed_owner", "customers",
           lambda: then_logistic(by_type(StandardScaler(), remainder="passthrough"))),
    Fitted("columns_typed_ordinal", "customers",
           lambda: then_logistic(make_column_transformer((StandardScaler(), NUMBERS), (OrdinalEncoder(), TEXTS)))),
    Fitted("columns_typed_mlp", "customers",
           lambda: make_pipeline(by_type(StandardScaler()), MLPClassifier((8,), max_iter=300, random_state=0))),
    Fitted("columns_typed_forest", "customers",
           lambda: make_pipeline(by_type("passthrough"), RandomForestClassifier(5, max_depth=4, random_state=0))),
    Fitted("columns_by_selector", "customers",
           lambda: then_logistic(make_column_transformer(
               (StandardScaler(), make_column_selector(dtype_include=np.number)),
               (OneHotEncoder(), make_column_selector(dtype_exclude=[np.number, bool]))))),
    Fitted("columns_only_transformed", "customers", lambda: by_type(StandardScaler())),
    Fitted("columns_typed_opset12", "customers", lambda: then_logistic(by_type(StandardScaler())), opset=12),
    Fitted("columns_typed_opset17", "customers", lambda: then_logistic(by_type(StandardScaler())), opset=17),
]

TEXT = [
    Fitted("text_counts", "sentences",
           lambda: then_logistic(ColumnTransformer([("words", CountVectorizer(), 0)])),
           options={CountVectorizer: {"locale": "C"}}),
    Fitted("text_counts_as_written", "sentences",
           lambda: then_logistic(ColumnTransformer([("words", CountVectorizer(lowercase=False), 0)]))),
    Fitted("text_tfidf", "sentences",
           lambda: then_logistic(ColumnTransformer([("words", TfidfVectorizer(), 0)])),
           options={TfidfVectorizer: {"locale": "C"}}),
    Fitted("counts_tfidf", "counts", lambda: TfidfTransformer()),
    Fitted("counts_tfidf_logreg", "counts", lambda: then_logistic(TfidfTransformer())),
]

OLD_OPSETS = [
    Fitted(f"{name}_opset{opset}", table, make, opset=opset)
    for opset in (9, 11, 13, 15, 18, 22)
    for name, table, make in (
        ("pca_logreg", "digits", lambda: then_logistic(PCA(8))),
        ("polynomial_ridge", "diabetes", lambda: then_ridge(StandardScaler(), PolynomialFeatures(2))),
        ("impute_logreg", "cancer_holes", lambda: then_logistic(SimpleImputer(), StandardScaler())),
        ("min_max_clip_logreg", "cancer", lambda: then_logistic(MinMaxScaler(clip=True))),
        ("columns_logreg", "wine",
         lambda: then_logistic(ColumnTransformer([("scale", StandardScaler(), [0, 1, 2]),
                                                  ("range", MinMaxScaler(), [5, 9])]))),
    )
]

MODELS = ALONE + FOLLOWED + INTEGERS + DOUBLES + LABELS + CHAINS + COLUMNS + TEXT + OLD_OPSETS
