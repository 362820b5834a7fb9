"""Regressors, clusterings and detectors of outliers of scikit-learn."""
import numpy as np
from sklearn.cluster import Birch, BisectingKMeans, KMeans, MeanShift, MiniBatchKMeans
from sklearn.compose import TransformedTargetRegressor
from sklearn.covariance import EllipticEnvelope
from sklearn.cross_decomposition import CCA, PLSCanonical, PLSRegression
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (AdaBoostRegressor, BaggingRegressor, ExtraTreesRegressor, GradientBoostingRegressor,
                              HistGradientBoostingRegressor, IsolationForest, RandomForestRegressor, StackingRegressor,
                              VotingRegressor)
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (ARDRegression, BayesianRidge, ElasticNet, ElasticNetCV, GammaRegressor,
                                  HuberRegressor, Lars, LarsCV, Lasso, LassoCV, LassoLars, LassoLarsCV, LassoLarsIC,
                                  LinearRegression, MultiTaskElasticNet, MultiTaskElasticNetCV, MultiTaskLasso,
                                  MultiTaskLassoCV, OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV,
                                  PassiveAggressiveRegressor, PoissonRegressor, QuantileRegressor, RANSACRegressor,
                                  Ridge, RidgeCV, SGDOneClassSVM, SGDRegressor, TheilSenRegressor, TweedieRegressor)
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor, RegressorChain
from sklearn.neighbors import KNeighborsRegressor, LocalOutlierFactor, RadiusNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR, LinearSVR, NuSVR, OneClassSVM
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from .sklearn_export import Fitted


def scaled(estimator):
    return make_pipeline(StandardScaler(), estimator)


def network(*hidden, **options):
    return scaled(MLPRegressor(hidden_layer_sizes=hidden, max_iter=300, random_state=0, **options))


def process(kernel, **options):
    return GaussianProcessRegressor(kernel, alpha=0.1, **options)


def members():
    return [("linear", Ridge()), ("support", SVR(kernel="linear")),
            ("network", MLPRegressor(hidden_layer_sizes=(8,), max_iter=300, random_state=0))]


LINEAR = [
    Fitted("linear", "diabetes", lambda: LinearRegression()),
    Fitted("linear_scaled", "diabetes", lambda: scaled(LinearRegression())),
    Fitted("linear_no_intercept", "regression", lambda: LinearRegression(fit_intercept=False)),
    Fitted("linear_positive", "regression", lambda: LinearRegression(positive=True)),
    Fitted("linear_three_targets", "regressions", lambda: LinearRegression()),
    Fitted("linear_plain_operators", "diabetes", lambda: scaled(LinearRegression()),
           without=("LinearRegressor", "Scaler")),
    Fitted("linear_double", "diabetes", lambda: LinearRegression(), scalar=np.float64),
    Fitted("linear_int64", "counts", lambda: LinearRegression(), scalar=np.int64),
    Fitted("linear_batch_1", "diabetes", lambda: LinearRegression(), batch=1),
    Fitted("ridge", "diabetes", lambda: Ridge()),
    Fitted("ridge_three_targets", "regressions", lambda: scaled(Ridge())),
    Fitted("ridge_cv", "diabetes", lambda: scaled(RidgeCV())),
    Fitted("lasso", "diabetes", lambda: Lasso(alpha=0.1)),
    Fitted("lasso_cv", "diabetes", lambda: scaled(LassoCV(cv=3))),
    Fitted("lasso_lars", "regression", lambda: LassoLars(alpha=0.1)),
    Fitted("lasso_lars_cv", "regression", lambda: LassoLarsCV(cv=3)),
    Fitted("lasso_lars_ic", "regression", lambda: LassoLarsIC()),
    Fitted("lars", "regression", lambda: Lars()),
    Fitted("lars_cv", "regression", lambda: LarsCV(cv=3)),
    Fitted("elastic_net", "diabetes", lambda: scaled(ElasticNet(alpha=0.1))),
    Fitted("elastic_net_cv", "diabetes", lambda: scaled(ElasticNetCV(cv=3))),
    Fitted("multi_task_lasso", "regressions", lambda: MultiTaskLasso(alpha=0.01)),
    Fitted("multi_task_lasso_cv", "regressions", lambda: MultiTaskLassoCV(cv=3)),
    Fitted("multi_task_elastic_net", "regressions", lambda: MultiTaskElasticNet(alpha=0.01)),
    Fitted("multi_task_elastic_net_cv", "regressions", lambda: MultiTaskElasticNetCV(cv=3)),
    Fitted("bayesian_ridge", "diabetes", lambda: BayesianRidge()),
    Fitted("bayesian_ridge_deviation", "diabetes", lambda: BayesianRidge(), options={"return_std": True}),
    Fitted("ard", "diabetes", lambda: ARDRegression()),
    Fitted("huber", "diabetes", lambda: scaled(HuberRegressor(max_iter=1000))),
    Fitted("theil_sen", "regression", lambda: TheilSenRegressor(random_state=0)),
    Fitted("ransac", "regression", lambda: RANSACRegressor(random_state=0)),
    Fitted("orthogonal_matching_pursuit", "regression", lambda: OrthogonalMatchingPursuit()),
    Fitted("orthogonal_matching_pursuit_cv", "regression", lambda: OrthogonalMatchingPursuitCV(cv=3)),
    Fitted("quantile", "regression", lambda: QuantileRegressor(quantile=0.8, alpha=0.01)),
    Fitted("poisson", "diabetes_positive", lambda: scaled(PoissonRegressor())),
    Fitted("gamma", "diabetes_positive", lambda: scaled(GammaRegressor())),
    Fitted("tweedie", "diabetes_positive", lambda: scaled(TweedieRegressor(power=1.5))),
    Fitted("tweedie_identity", "diabetes_positive", lambda: TweedieRegressor(power=0)),
    Fitted("sgd", "diabetes", lambda: scaled(SGDRegressor(random_state=0))),
    Fitted("sgd_huber", "regression", lambda: scaled(SGDRegressor("huber", random_state=0))),
    Fitted("sgd_epsilon", "regression", lambda: scaled(SGDRegressor("epsilon_insensitive", random_state=0))),
    Fitted("passive_aggressive_regressor", "regression", lambda: scaled(PassiveAggressiveRegressor(random_state=0))),
    Fitted("linear_svr", "diabetes", lambda: scaled(LinearSVR(max_iter=10000))),
    Fitted("pls", "diabetes", lambda: PLSRegression(2)),
    Fitted("pls_three_targets", "regressions", lambda: PLSRegression(3)),
    Fitted("pls_scaled", "regression", lambda: scaled(PLSRegression(2, scale=False))),
    Fitted("pls_canonical", "regressions", lambda: PLSCanonical(2)),
    Fitted("cca", "regressions", lambda: CCA(2)),
]

NETWORKS = [
    Fitted("mlp_regressor", "regression", lambda: network(16)),
    Fitted("mlp_regressor_tanh", "regression", lambda: network(16, activation="tanh")),
    Fitted("mlp_regressor_logistic", "diabetes", lambda: network(8, 8, activation="logistic")),
    Fitted("mlp_regressor_identity", "regression", lambda: network(8, activation="identity")),
    Fitted("mlp_regressor_three_targets", "regressions", lambda: network(16, 8)),
    Fitted("mlp_regressor_double", "regression", lambda: network(8), scalar=np.float64),
    Fitted("mlp_regressor_batch_1", "regression", lambda: network(8), batch=1),
]

KERNELS = [
    Fitted("svr_rbf", "diabetes", lambda: scaled(SVR(C=10))),
    Fitted("svr_linear", "diabetes", lambda: scaled(SVR(kernel="linear"))),
    Fitted("svr_poly2", "regression", lambda: scaled(SVR(kernel="poly", degree=2, coef0=1))),
    Fitted("svr_sigmoid", "regression", lambda: scaled(SVR(kernel="sigmoid"))),
    Fitted("nu_svr", "regression", lambda: scaled(NuSVR())),
    Fitted("nu_svr_linear", "regression", lambda: scaled(NuSVR(kernel="linear"))),
    Fitted("one_class_svm", "iris", lambda: scaled(OneClassSVM(nu=0.1))),
    Fitted("kernel_ridge", "diabetes_few", lambda: KernelRidge(kernel="rbf")),
    Fitted("process_rbf", "diabetes_few", lambda: process(1.0 * kernels.RBF(1.0))),
    Fitted("process_rbf_double", "diabetes_few", lambda: process(1.0 * kernels.RBF(1.0)), scalar=np.float64),
    Fitted("process_deviation", "diabetes_few", lambda: process(1.0 * kernels.RBF(1.0)),
           options={"return_std": True}, scalar=np.float64),
    Fitted("process_normalised", "diabetes_few", lambda: process(1.0 * kernels.RBF(1.0), normalize_y=True)),
    Fitted("process_matern", "diabetes_few", lambda: process(kernels.Matern(1.0, nu=1.5))),
    Fitted("process_rational", "diabetes_few", lambda: process(kernels.RationalQuadratic())),
    Fitted("process_periodic", "diabetes_few", lambda: process(kernels.ExpSineSquared())),
    Fitted("process_dot", "diabetes_few", lambda: process(kernels.DotProduct() + kernels.WhiteKernel())),
    Fitted("process_dot_squared", "diabetes_few", lambda: process(kernels.DotProduct() ** 2)),
    Fitted("knn_regressor", "diabetes_few", lambda: KNeighborsRegressor(3)),
    Fitted("knn_regressor_distance", "diabetes_few", lambda: KNeighborsRegressor(3, weights="distance")),
    Fitted("knn_regressor_three_targets", "regressions", lambda: KNeighborsRegressor(3)),
    Fitted("radius_neighbors_regressor", "diabetes_few", lambda: RadiusNeighborsRegressor(30.0)),
]

COMPOSED = [
    Fitted("voting_regressor", "regression", lambda: scaled(VotingRegressor(members()))),
    Fitted("voting_regressor_weights", "regression",
           lambda: scaled(VotingRegressor(members(), weights=np.array([3, 1, 1])))),
    Fitted("stacking_regressor", "regression", lambda: scaled(StackingRegressor(members()))),
    Fitted("bagging_regressor", "regression", lambda: scaled(BaggingRegressor(Ridge(), 5, random_state=0))),
    Fitted("bagging_svr", "regression", lambda: scaled(BaggingRegressor(SVR(), 3, max_features=0.5, random_state=0))),
    Fitted("multi_output_ridge", "regressions", lambda: MultiOutputRegressor(Ridge())),
    Fitted("multi_output_svr", "regressions", lambda: scaled(MultiOutputRegressor(SVR()))),
    Fitted("regressor_chain", "regressions", lambda: RegressorChain(Ridge())),
    Fitted("transformed_target", "diabetes_positive",
           lambda: TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp)),
    Fitted("transformed_target_scaled", "diabetes",
           lambda: TransformedTargetRegressor(Ridge(), transformer=StandardScaler())),
    Fitted("grid_search_regressor", "diabetes", lambda: GridSearchCV(Ridge(), {"alpha": [0.1, 1]}, cv=3)),
    Fitted("grid_search_svr", "diabetes", lambda: GridSearchCV(scaled(SVR()), {"svr__C": [1, 10]}, cv=3)),
    Fitted("dummy_regressor", "diabetes", lambda: DummyRegressor()),
]

TREES = [
    Fitted("tree_regressor", "diabetes", lambda: DecisionTreeRegressor(max_depth=4, random_state=0)),
    Fitted("tree_regressor_three_targets", "regressions", lambda: DecisionTreeRegressor(max_depth=4, random_state=0)),
    Fitted("extra_tree_regressor", "diabetes", lambda: ExtraTreeRegressor(max_depth=4, random_state=0)),
    Fitted("forest_regressor", "diabetes", lambda: RandomForestRegressor(10, max_depth=4, random_state=0)),
    Fitted("extra_trees_regressor", "diabetes", lambda: ExtraTreesRegressor(10, max_depth=4, random_state=0)),
    Fitted("boosting_regressor", "diabetes", lambda: GradientBoostingRegressor(n_estimators=10, random_state=0)),
    Fitted("hist_boosting_regressor", "diabetes", lambda: HistGradientBoostingRegressor(max_iter=10, random_state=0)),
    Fitted("hist_boosting_poisson", "diabetes_positive",
           lambda: HistGradientBoostingRegressor(loss="poisson", max_iter=10, random_state=0)),
    Fitted("ada_boost_regressor", "diabetes", lambda: AdaBoostRegressor(n_estimators=5, random_state=0)),
    Fitted("isolation_forest", "cancer", lambda: IsolationForest(n_estimators=5, random_state=0),
           opset={"": 18, "ai.onnx.ml": 3}),
]

UNSUPERVISED = [
    Fitted("kmeans", "iris", lambda: KMeans(3, random_state=0, n_init=1)),
    Fitted("kmeans_scaled", "wine", lambda: scaled(KMeans(3, random_state=0, n_init=1))),
    Fitted("kmeans_double", "iris", lambda: KMeans(3, random_state=0, n_init=1), scalar=np.float64),
    Fitted("kmeans_mini_batch", "iris", lambda: MiniBatchKMeans(3, random_state=0, n_init=1)),
    Fitted("kmeans_bisecting", "iris", lambda: BisectingKMeans(3, random_state=0)),
    Fitted("gaussian_mixture", "iris", lambda: GaussianMixture(3, random_state=0)),
    Fitted("gaussian_mixture_tied", "iris", lambda: GaussianMixture(3, covariance_type="tied", random_state=0)),
    Fitted("gaussian_mixture_diagonal", "iris", lambda: GaussianMixture(3, covariance_type="diag", random_state=0)),
    Fitted("gaussian_mixture_spherical", "wine",
           lambda: scaled(GaussianMixture(3, covariance_type="spherical", random_state=0))),
    Fitted("gaussian_mixture_scores", "iris", lambda: GaussianMixture(3, random_state=0),
           options={"score_samples": True}),
    Fitted("bayesian_mixture", "iris", lambda: BayesianGaussianMixture(n_components=3, random_state=0)),
    Fitted("local_outlier_factor", "iris_few", lambda: LocalOutlierFactor(5, novelty=True)),
    Fitted("sgd_one_class", "iris", lambda: scaled(SGDOneClassSVM(random_state=0))),
    Fitted("elliptic_envelope", "iris", lambda: EllipticEnvelope(random_state=0)),
    Fitted("birch", "iris", lambda: Birch(n_clusters=3)),
    Fitted("mean_shift", "iris", lambda: MeanShift()),
]

OLD_OPSETS = [
    Fitted(f"{name}_opset{opset}", table, make, opset=opset)
    for opset in (9, 11, 13, 15, 18, 22)
    for name, table, make in (
        ("linear", "diabetes", lambda: scaled(LinearRegression())),
        ("mlp_regressor", "regression", lambda: network(8)),
        ("svr", "regression", lambda: scaled(SVR())),
        ("kmeans", "iris", lambda: KMeans(3, random_state=0, n_init=1)),
        ("process", "diabetes_few", lambda: process(1.0 * kernels.RBF(1.0))),
    )
]

MODELS = LINEAR + NETWORKS + KERNELS + COMPOSED + TREES + UNSUPERVISED + OLD_OPSETS
