# %% [markdown]
# # Constrained tuning of a scikit-learn model
#
# A random forest for handwritten digits that must fit into a small device: as accurate as possible with at most 2,500
# nodes in all, and no digit recognised in less than 75 % of its cases. Accuracy alone would choose the largest forest.

# %%
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import recall_score

import pyckg
from pyckg.sklearn import CkgSearchCV

X, y = load_digits(return_X_y=True)
X, y = X[::2], y[::2]  # every other one, to be quick

# %% [markdown]
# Scores are what is optimised and what is limited. A scorer may return anything that is known after a fit: here the
# size of the model, and the recall of the digit that is recognised worst.


# %%
def size(forest, X, y):
    return sum(tree.tree_.node_count for tree in forest.estimators_)


def worst_recall(forest, X, y):
    return recall_score(y, forest.predict(X), average=None, zero_division=0).min()


scoring = {"accuracy": "accuracy", "size": size, "worst": worst_recall}
space = {
    "n_estimators": pyckg.Integer(3, 50, log=True),
    "max_depth": pyckg.Integer(2, 14),
    "max_features": pyckg.Real(0.03, 1.0, log=True),
    "min_samples_leaf": pyckg.Integer(1, 12),
}
limits = {"mean_test_size": (None, 2500), "mean_test_worst": (0.75, None)}

# %%
search = CkgSearchCV(
    RandomForestClassifier(random_state=0),
    space,
    n_iter=25,
    scoring=scoring,
    refit="accuracy",
    constraints=limits,
    cv=3,
    random_state=1,
)
search.fit(X, y)
print("best of those that met the limits:", search.best_params_)
print("accuracy", round(search.best_score_, 4))

# %% [markdown]
# `cv_results_` is scikit-learn's, with a column for feasibility. The best accuracy of all belongs to a forest that is
# too large.

# %%
results = search.cv_results_
best = int(np.argmax(results["mean_test_accuracy"]))
print("most accurate:", round(results["mean_test_accuracy"][best], 4), "with", round(results["mean_test_size"][best]), "nodes")
print("chosen:       ", round(search.best_score_, 4), "with", round(results["mean_test_size"][search.best_index_]), "nodes")
print(int(results["feasible"].sum()), "of", len(results["feasible"]), "candidates met the limits")

# %% [markdown]
# The models recommend a design, which need not be one of the candidates, and say how probable it is that the limits
# hold there. Means over three folds are noisy; the folds say how noisy.

# %%
found = search.recommendation_
print(found.parameters)
print("predicted accuracy", round(found.objective.mean, 4), "+-", round(found.objective.sd, 4))
print("the limits hold with probability", round(found.probability_feasible, 3))

# %% [markdown]
# The study behind the search knows more: here what each parameter matters for the accuracy and for the size.

# %%
for outcome in ("score", "mean_test_size"):
    shares = search.study_.importance()[outcome]
    print(f"{outcome:15}", {name: round(share.total, 2) for name, share in shares.items()})
