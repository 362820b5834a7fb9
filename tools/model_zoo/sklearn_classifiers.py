"""Classifiers of scikit-learn: the name of the folder, the data, the estimator, options of the export."""
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (AdaBoostClassifier, BaggingClassifier, ExtraTreesClassifier, GradientBoostingClassifier,
                              HistGradientBoostingClassifier, RandomForestClassifier, StackingClassifier,
                              VotingClassifier)
from sklearn.gaussian_process import GaussianProcessClassifier, kernels
from sklearn.linear_model import (LogisticRegression, LogisticRegressionCV,
                                  PassiveAggressiveClassifier, Perceptron, RidgeClassifier, RidgeClassifierCV,
                                  SGDClassifier)
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid, RadiusNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from .sklearn_export import Fitted

BARE = {"zipmap": False}
COLUMNS = {"zipmap": "columns"}
RAW = {"zipmap": False, "raw_scores": True}
PLAIN = ("LinearClassifier", "Scaler", "Normalizer")
# In a pipeline skl2onnx sets zipmap for every classifier, but LinearSVC has no such option: name its class instead.
SUPPORT = {LinearSVC: {}}


def scaled(estimator):
    return make_pipeline(StandardScaler(), estimator)


def logistic(**options):
    return scaled(LogisticRegression(max_iter=2000, **options))


def network(*hidden, **options):
    return scaled(MLPClassifier(hidden, max_iter=300, random_state=0, **options))


def vote(**options):
    return VotingClassifier(members(), flatten_transform=False, **options)  # skl2onnx refuses the default


def members():
    return [("linear", LogisticRegression(max_iter=2000)), ("bayes", GaussianNB()),
            ("network", MLPClassifier((8,), max_iter=300, random_state=0))]


LINEAR = [
    Fitted("logreg_binary", "cancer", lambda: logistic()),
    Fitted("logreg_binary_bare", "cancer_scaled", lambda: LogisticRegression()),
    Fitted("logreg_multi", "wine", lambda: logistic()),
    Fitted("logreg_multi_bare", "iris", lambda: LogisticRegression(max_iter=2000)),
    Fitted("logreg_no_intercept", "iris", lambda: logistic(fit_intercept=False)),
    Fitted("logreg_l1", "cancer", lambda: logistic(solver="liblinear", l1_ratio=1.0)),
    Fitted("logreg_elasticnet", "wine", lambda: logistic(solver="saga", l1_ratio=0.5)),
    Fitted("logreg_balanced", "cancer", lambda: logistic(class_weight="balanced", C=0.1)),
    Fitted("logreg_no_penalty", "blobs", lambda: logistic(C=np.inf)),
    Fitted("logreg_cv", "cancer", lambda: scaled(LogisticRegressionCV(Cs=3, cv=3, max_iter=2000))),
    Fitted("logreg_cv_multi", "wine", lambda: scaled(LogisticRegressionCV(Cs=3, cv=3, max_iter=2000))),
    Fitted("logreg_string_labels", "cancer_names", lambda: logistic()),
    Fitted("logreg_string_labels_multi", "iris_names", lambda: logistic()),
    Fitted("logreg_string_labels_bare_output", "iris_names", lambda: logistic(), options=BARE),
    Fitted("logreg_string_labels_columns", "iris_names", lambda: logistic(), options=COLUMNS),
    Fitted("logreg_bool_labels", "cancer_truth", lambda: logistic()),
    Fitted("logreg_bool_labels_bare_output", "cancer_truth", lambda: logistic(), options=BARE),
    Fitted("logreg_negative_labels", "cancer_signs", lambda: logistic()),
    Fitted("logreg_negative_labels_multi", "iris_signs", lambda: logistic()),
    Fitted("logreg_gaps_in_labels", "iris_gaps", lambda: logistic()),
    Fitted("logreg_bare_output", "cancer", lambda: logistic(), options=BARE),
    Fitted("logreg_columns", "wine", lambda: logistic(), options=COLUMNS),
    Fitted("logreg_raw_scores_binary", "cancer", lambda: logistic(), options=RAW),
    Fitted("logreg_raw_scores_multi", "wine", lambda: logistic(), options=RAW),
    Fitted("logreg_raw_scores_zipmap", "wine", lambda: logistic(), options={"raw_scores": True}),
    Fitted("logreg_class_output", "wine", lambda: logistic(), options=BARE | {"output_class_labels": True}),
    Fitted("logreg_positions_of_labels", "iris_names", lambda: logistic(), options=BARE | {"nocl": True}),
    Fitted("logreg_plain_operators", "cancer", lambda: logistic(), without=PLAIN),
    Fitted("logreg_plain_operators_multi", "wine", lambda: logistic(), without=PLAIN, options=BARE),
    Fitted("logreg_plain_operators_names", "iris_names", lambda: logistic(), without=PLAIN),
    Fitted("logreg_double", "cancer", lambda: logistic(), scalar=np.float64, options=BARE),
    Fitted("logreg_double_zipmap", "cancer", lambda: logistic(), scalar=np.float64),
    Fitted("logreg_double_multi", "wine", lambda: logistic(), scalar=np.float64, options=BARE),
    Fitted("logreg_int64", "counts", lambda: logistic(), scalar=np.int64),
    Fitted("logreg_int64_bare", "counts", lambda: LogisticRegression(max_iter=2000), scalar=np.int64),
    Fitted("logreg_batch_1", "iris", lambda: logistic(), batch=1),
    Fitted("logreg_batch_10", "iris", lambda: logistic(), batch=10, options=BARE),
    Fitted("ridge_classifier", "cancer", lambda: scaled(RidgeClassifier())),
    Fitted("ridge_classifier_multi", "wine", lambda: scaled(RidgeClassifier())),
    Fitted("ridge_classifier_names", "iris_names", lambda: RidgeClassifier()),
    Fitted("ridge_classifier_cv", "cancer", lambda: scaled(RidgeClassifierCV())),
    Fitted("ridge_classifier_cv_multi", "wine", lambda: scaled(RidgeClassifierCV())),
    Fitted("sgd_hinge", "cancer", lambda: scaled(SGDClassifier(random_state=0))),
    Fitted("sgd_hinge_multi", "wine", lambda: scaled(SGDClassifier(random_state=0))),
    Fitted("sgd_hinge_bare_output", "wine", lambda: scaled(SGDClassifier(random_state=0)), options=BARE),
    Fitted("sgd_log_multi", "wine", lambda: scaled(SGDClassifier("log_loss", random_state=0))),
    Fitted("sgd_modified_huber", "cancer", lambda: scaled(SGDClassifier("modified_huber", random_state=0))),
    Fitted("sgd_modified_huber_multi", "wine", lambda: scaled(SGDClassifier("modified_huber", random_state=0))),
    Fitted("sgd_squared_hinge", "wine", lambda: scaled(SGDClassifier("squared_hinge", random_state=0))),
    Fitted("sgd_perceptron", "cancer_names", lambda: scaled(SGDClassifier("perceptron", random_state=0))),
    Fitted("perceptron", "cancer", lambda: scaled(Perceptron(random_state=0))),
    Fitted("perceptron_multi", "iris_names", lambda: scaled(Perceptron(random_state=0))),
    Fitted("passive_aggressive", "cancer", lambda: scaled(PassiveAggressiveClassifier(random_state=0))),
    Fitted("passive_aggressive_multi", "wine", lambda: scaled(PassiveAggressiveClassifier(random_state=0))),
    Fitted("linear_svc", "cancer", lambda: scaled(LinearSVC()), options=SUPPORT),
    Fitted("linear_svc_multi", "wine", lambda: scaled(LinearSVC()), options=SUPPORT),
    Fitted("linear_svc_pipeline_default", "cancer", lambda: scaled(LinearSVC())),
    Fitted("linear_svc_names", "iris_names", lambda: LinearSVC()),
    Fitted("linear_svc_crammer_singer", "wine", lambda: scaled(LinearSVC(multi_class="crammer_singer")),
           options=SUPPORT),
    Fitted("linear_svc_raw_scores", "cancer", lambda: scaled(LinearSVC()),
           options={LinearSVC: {"raw_scores": True}}),
]

DISCRIMINANT = [
    Fitted("lda", "wine", lambda: LinearDiscriminantAnalysis()),
    Fitted("lda_binary", "cancer", lambda: scaled(LinearDiscriminantAnalysis())),
    Fitted("lda_shrinkage", "wine", lambda: LinearDiscriminantAnalysis("lsqr", shrinkage="auto")),
    Fitted("lda_eigen", "iris_names", lambda: LinearDiscriminantAnalysis("eigen")),
    Fitted("lda_names_bare_output", "cancer_names", lambda: LinearDiscriminantAnalysis(), options=BARE),
    Fitted("qda", "iris", lambda: QuadraticDiscriminantAnalysis()),
    Fitted("qda_regularised", "wine", lambda: scaled(QuadraticDiscriminantAnalysis(reg_param=0.1))),
    Fitted("qda_binary", "blobs", lambda: QuadraticDiscriminantAnalysis(reg_param=0.1)),
    Fitted("qda_names", "iris_names", lambda: QuadraticDiscriminantAnalysis()),
    Fitted("gaussian_nb", "iris", lambda: GaussianNB()),
    Fitted("gaussian_nb_binary", "cancer", lambda: GaussianNB()),
    Fitted("gaussian_nb_scaled", "wine", lambda: scaled(GaussianNB())),
    Fitted("gaussian_nb_names", "iris_names", lambda: GaussianNB()),
    Fitted("gaussian_nb_bare_output", "wine", lambda: GaussianNB(), options=BARE),
    Fitted("gaussian_nb_double", "iris", lambda: GaussianNB(), scalar=np.float64, options=BARE),
    Fitted("multinomial_nb", "counts", lambda: MultinomialNB()),
    Fitted("multinomial_nb_int64", "counts", lambda: MultinomialNB(), scalar=np.int64),
    Fitted("complement_nb", "counts", lambda: ComplementNB()),
    Fitted("complement_nb_norm", "counts", lambda: ComplementNB(norm=True)),
    Fitted("bernoulli_nb", "digits", lambda: BernoulliNB(binarize=8.0)),
    Fitted("bernoulli_nb_binary", "blobs", lambda: BernoulliNB()),
    Fitted("categorical_nb", "categories", lambda: CategoricalNB(), scalar=np.int64),
    Fitted("categorical_nb_float", "categories", lambda: CategoricalNB()),
]

NETWORKS = [
    Fitted("mlp_binary", "cancer", lambda: network(16)),
    Fitted("mlp_binary_tanh", "cancer", lambda: network(16, activation="tanh")),
    Fitted("mlp_binary_logistic", "blobs", lambda: network(8, 8, activation="logistic")),
    Fitted("mlp_multi", "wine", lambda: network(16)),
    Fitted("mlp_multi_identity", "wine", lambda: network(8, activation="identity")),
    Fitted("mlp_digits", "digits", lambda: MLPClassifier((32,), max_iter=100, random_state=0)),
    Fitted("mlp_deep", "blobs4", lambda: network(16, 16, 8)),
    Fitted("mlp_names", "iris_names", lambda: network(10, activation="logistic")),
    Fitted("mlp_binary_names", "cancer_names", lambda: network(8)),
    Fitted("mlp_multilabel", "multilabel", lambda: network(16)),
    Fitted("mlp_bare_output", "wine", lambda: network(16), options=BARE),
    Fitted("mlp_columns", "iris", lambda: network(8), options=COLUMNS),
    Fitted("mlp_double", "cancer", lambda: network(8), scalar=np.float64, options=BARE),
    Fitted("mlp_raw_scores", "wine", lambda: network(8), options={"zipmap": False, "raw_scores": True}),
]

KERNELS = [
    Fitted("svc_linear", "cancer", lambda: scaled(SVC(kernel="linear"))),
    Fitted("svc_linear_multi", "wine", lambda: scaled(SVC(kernel="linear"))),
    Fitted("svc_rbf", "cancer", lambda: scaled(SVC())),
    Fitted("svc_rbf_multi", "iris", lambda: scaled(SVC())),
    Fitted("svc_rbf_ovo_scores", "wine", lambda: scaled(SVC(decision_function_shape="ovo"))),
    Fitted("svc_rbf_names", "iris_names", lambda: scaled(SVC())),
    Fitted("svc_rbf_binary_names", "cancer_names", lambda: scaled(SVC())),
    Fitted("svc_poly3", "blobs", lambda: scaled(SVC(kernel="poly"))),
    Fitted("svc_poly2_multi", "iris", lambda: scaled(SVC(kernel="poly", degree=2, coef0=1))),
    Fitted("svc_sigmoid", "cancer", lambda: scaled(SVC(kernel="sigmoid"))),
    Fitted("svc_probability", "cancer", lambda: scaled(SVC(probability=True, random_state=0))),
    Fitted("svc_probability_multi", "iris", lambda: scaled(SVC(probability=True, random_state=0))),
    Fitted("svc_probability_linear", "wine_few", lambda: SVC(kernel="linear", probability=True, random_state=0)),
    Fitted("svc_bare_output", "wine", lambda: scaled(SVC()), options=BARE),
    Fitted("svc_raw_scores", "cancer", lambda: scaled(SVC()), options=RAW),
    Fitted("svc_raw_scores_multi", "iris", lambda: scaled(SVC()), options=RAW),
    Fitted("svc_raw_scores_ovo", "iris", lambda: scaled(SVC(decision_function_shape="ovo")), options=RAW),
    Fitted("svc_double", "cancer", lambda: scaled(SVC()), scalar=np.float64, options=BARE),
    Fitted("nu_svc", "cancer", lambda: scaled(NuSVC(nu=0.2))),
    Fitted("nu_svc_multi", "iris", lambda: scaled(NuSVC(nu=0.2))),
    Fitted("gaussian_process", "cancer_few", lambda: GaussianProcessClassifier(1.0 * kernels.RBF(3.0))),
    Fitted("gaussian_process_multi", "iris_few", lambda: GaussianProcessClassifier(1.0 * kernels.RBF(1.0))),
    Fitted("knn", "iris", lambda: KNeighborsClassifier()),
    Fitted("knn_binary", "cancer_few", lambda: KNeighborsClassifier(3)),
    Fitted("knn_distance", "wine_few", lambda: KNeighborsClassifier(5, weights="distance")),
    Fitted("knn_manhattan", "wine_few", lambda: KNeighborsClassifier(5, p=1)),
    Fitted("knn_names", "iris_names", lambda: KNeighborsClassifier(3)),
    Fitted("knn_one", "iris", lambda: KNeighborsClassifier(1), options=BARE),
    Fitted("knn_cdist", "iris", lambda: KNeighborsClassifier(3), options={"zipmap": False, "optim": "cdist"}),
    Fitted("radius_neighbors", "iris", lambda: RadiusNeighborsClassifier(20.0)),
    Fitted("nearest_centroid", "iris", lambda: NearestCentroid()),
]

COMPOSED = [
    Fitted("one_vs_rest_logreg", "wine", lambda: scaled(OneVsRestClassifier(LogisticRegression()))),
    Fitted("one_vs_rest_logreg_names", "iris_names", lambda: OneVsRestClassifier(LogisticRegression())),
    Fitted("one_vs_rest_linear_svc", "wine", lambda: scaled(OneVsRestClassifier(LinearSVC()))),
    Fitted("one_vs_rest_svc", "iris", lambda: scaled(OneVsRestClassifier(SVC()))),
    Fitted("one_vs_rest_sgd", "wine", lambda: scaled(OneVsRestClassifier(SGDClassifier(random_state=0)))),
    Fitted("one_vs_rest_mlp", "iris",
           lambda: scaled(OneVsRestClassifier(MLPClassifier((6,), max_iter=300, random_state=0)))),
    Fitted("one_vs_rest_multilabel", "multilabel", lambda: OneVsRestClassifier(LogisticRegression(max_iter=2000))),
    Fitted("one_vs_rest_binary", "cancer", lambda: scaled(OneVsRestClassifier(LogisticRegression()))),
    Fitted("one_vs_rest_bare_output", "wine", lambda: scaled(OneVsRestClassifier(LogisticRegression())), options=BARE),
    Fitted("one_vs_one_logreg", "wine", lambda: scaled(OneVsOneClassifier(LogisticRegression()))),
    Fitted("one_vs_one_linear_svc", "iris", lambda: scaled(OneVsOneClassifier(LinearSVC()))),
    Fitted("one_vs_one_names", "iris_names", lambda: OneVsOneClassifier(LogisticRegression())),
    Fitted("output_code", "wine", lambda: OutputCodeClassifier(LogisticRegression(), random_state=0)),
    Fitted("calibrated_linear_svc", "cancer", lambda: scaled(CalibratedClassifierCV(LinearSVC(), cv=3))),
    Fitted("calibrated_linear_svc_multi", "wine", lambda: scaled(CalibratedClassifierCV(LinearSVC(), cv=3))),
    Fitted("calibrated_no_ensemble", "cancer",
           lambda: scaled(CalibratedClassifierCV(LinearSVC(), cv=3, ensemble=False))),
    Fitted("calibrated_isotonic", "cancer",
           lambda: scaled(CalibratedClassifierCV(LinearSVC(), cv=3, method="isotonic"))),
    Fitted("calibrated_bayes", "wine", lambda: CalibratedClassifierCV(GaussianNB(), cv=3)),
    Fitted("calibrated_logreg_names", "iris_names", lambda: CalibratedClassifierCV(LogisticRegression(), cv=2)),
    Fitted("calibrated_svc", "cancer_few", lambda: CalibratedClassifierCV(SVC(), cv=2)),
    Fitted("voting_soft", "wine", lambda: scaled(vote(voting="soft"))),
    Fitted("voting_soft_weights", "cancer",
           lambda: scaled(vote(voting="soft", weights=np.array([2, 1, 1])))),
    Fitted("voting_hard", "wine", lambda: scaled(vote())),
    Fitted("voting_hard_binary", "cancer", lambda: scaled(vote())),
    Fitted("voting_default", "wine", lambda: scaled(VotingClassifier(members(), voting="soft"))),
    Fitted("voting_soft_names", "iris_names", lambda: vote(voting="soft")),
    Fitted("stacking", "wine", lambda: scaled(StackingClassifier(members()))),
    Fitted("stacking_binary", "cancer", lambda: scaled(StackingClassifier(members()))),
    Fitted("stacking_passthrough", "iris", lambda: StackingClassifier(members(), passthrough=True)),
    Fitted("bagging_logreg", "wine", lambda: scaled(BaggingClassifier(LogisticRegression(), 5, random_state=0))),
    Fitted("bagging_subspace", "cancer",
           lambda: scaled(BaggingClassifier(LogisticRegression(), 4, max_features=0.5, random_state=0))),
    Fitted("bagging_svc", "iris", lambda: scaled(BaggingClassifier(SVC(), 3, random_state=0))),
    Fitted("multi_output_logreg", "multioutput", lambda: scaled(MultiOutputClassifier(LogisticRegression()))),
    Fitted("multi_output_multilabel", "multilabel", lambda: MultiOutputClassifier(LogisticRegression(max_iter=2000))),
    Fitted("multi_output_bare_output", "multilabel",
           lambda: MultiOutputClassifier(LogisticRegression(max_iter=2000)), options=BARE),
    Fitted("classifier_chain", "multilabel", lambda: ClassifierChain(LogisticRegression(max_iter=2000))),
    Fitted("grid_search", "wine", lambda: GridSearchCV(logistic(), {"logisticregression__C": [0.1, 1]}, cv=3)),
    Fitted("grid_search_svc", "iris", lambda: scaled(GridSearchCV(SVC(), {"C": [0.1, 1]}, cv=3))),
    Fitted("tuned_threshold", "cancer", lambda: TunedThresholdClassifierCV(logistic(), cv=3)),
    Fitted("tuned_threshold_bare", "cancer_scaled", lambda: TunedThresholdClassifierCV(LogisticRegression(), cv=3)),
    Fitted("dummy", "iris", lambda: DummyClassifier()),
]

TREES = [
    Fitted("decision_tree", "iris", lambda: DecisionTreeClassifier(random_state=0)),
    Fitted("decision_tree_binary", "cancer", lambda: DecisionTreeClassifier(max_depth=4, random_state=0)),
    Fitted("decision_tree_names", "iris_names", lambda: DecisionTreeClassifier(max_depth=3, random_state=0)),
    Fitted("decision_tree_stump", "cancer", lambda: DecisionTreeClassifier(max_depth=1), options=BARE),
    Fitted("decision_tree_multilabel", "multilabel", lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
           options=BARE),
    Fitted("decision_tree_path", "iris", lambda: DecisionTreeClassifier(max_depth=3),
           options={"zipmap": False, "decision_path": True, "decision_leaf": True}),
    Fitted("extra_tree", "wine", lambda: ExtraTreeClassifier(max_depth=4, random_state=0)),
    Fitted("random_forest", "wine", lambda: RandomForestClassifier(10, max_depth=5, random_state=0)),
    Fitted("random_forest_binary", "cancer", lambda: RandomForestClassifier(10, max_depth=4, random_state=0)),
    Fitted("extra_trees", "wine", lambda: ExtraTreesClassifier(10, max_depth=4, random_state=0)),
    Fitted("gradient_boosting", "cancer", lambda: GradientBoostingClassifier(n_estimators=10, random_state=0)),
    Fitted("gradient_boosting_multi", "wine", lambda: GradientBoostingClassifier(n_estimators=5, random_state=0)),
    Fitted("gradient_boosting_exponential", "cancer",
           lambda: GradientBoostingClassifier(loss="exponential", n_estimators=10, random_state=0)),
    Fitted("hist_gradient_boosting", "cancer", lambda: HistGradientBoostingClassifier(max_iter=10, random_state=0)),
    Fitted("hist_gradient_boosting_multi", "wine", lambda: HistGradientBoostingClassifier(max_iter=5, random_state=0)),
    Fitted("hist_gradient_boosting_holes", "cancer_holes",
           lambda: HistGradientBoostingClassifier(max_iter=5, random_state=0)),
    Fitted("ada_boost", "cancer", lambda: AdaBoostClassifier(n_estimators=10, random_state=0)),
    Fitted("ada_boost_multi", "iris", lambda: AdaBoostClassifier(n_estimators=5, random_state=0)),
    Fitted("ada_boost_logreg", "wine", lambda: scaled(AdaBoostClassifier(LogisticRegression(), n_estimators=4))),
    Fitted("bagging_trees", "wine",
           lambda: BaggingClassifier(DecisionTreeClassifier(max_depth=4), 5, random_state=0)),
]

# The commonest exports at the operator sets of older deployments.
OLD_OPSETS = [
    Fitted(f"{name}_opset{opset}", table, make, opset=opset)
    for opset in (9, 11, 12, 13, 15, 17, 18, 19, 21, 22)
    for name, table, make in (
        ("logreg", "wine", lambda: logistic()),
        ("mlp", "cancer", lambda: network(8)),
        ("mlp_names", "iris_names", lambda: network(8, activation="tanh")),
        ("gaussian_nb", "iris", lambda: GaussianNB()),
        ("svc", "iris", lambda: scaled(SVC())),
        ("one_vs_rest", "wine", lambda: scaled(OneVsRestClassifier(LogisticRegression()))),
        ("calibrated", "cancer", lambda: scaled(CalibratedClassifierCV(LinearSVC(), cv=2))),
        ("voting", "wine", lambda: scaled(vote(voting="soft"))),
    )
]
UNEVEN = [
    Fitted("logreg_ml1", "wine", lambda: logistic(), opset={"": 15, "ai.onnx.ml": 1}),
    Fitted("logreg_ml2", "wine", lambda: logistic(), opset={"": 17, "ai.onnx.ml": 2}),
    Fitted("logreg_ml3", "wine", lambda: logistic(), opset={"": 18, "ai.onnx.ml": 3}),
    Fitted("mlp_ml3", "wine", lambda: network(8), opset={"": 18, "ai.onnx.ml": 3}),
]

MODELS = LINEAR + DISCRIMINANT + NETWORKS + KERNELS + COMPOSED + TREES + OLD_OPSETS + UNEVEN
