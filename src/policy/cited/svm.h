/*
 * A support vector machine: from points with two kinds of labels, a function h that is above 0 where one kind
 * is expected and below where the other is,
 *
 *     h(u) = Σ_i y_i α_i κ(u, u_i) + b,    κ(u, v) = exp(−|u − v|²/(2σ²)).
 */
#ifndef CKG_POLICY_CITED_SVM_H
#define CKG_POLICY_CITED_SVM_H

#include "base/arena.h"

struct ckg__svm {
    int D, n;
    double *U;      /* D×n, leading dimension n: the points */
    double *weight; /* (n) y_i α_i */
    double b;
    double width; /* σ */
};

/*
 * Trains it on points U (D×n, leading dimension n) with labels (n) of 1 and −1, both of which occur; `cost`
 * is C, what a point on the wrong side costs. Keeps U; memory from `keep`, which is not `scratch`.
 */
int ckg__svm_train(struct ckg__svm *svm, int D, int n, double *U, const signed char *label, double cost,
                   double width, struct ckg__arena *keep, struct ckg__arena *scratch);

/* h at u, and unless NULL its gradient (D). */
double ckg__svm_at(const struct ckg__svm *svm, const double *u, double *gradient);

/* Σ_i κ(u, u_i) at u, and unless NULL its gradient (D): how well the points cover it. */
double ckg__svm_cover(const struct ckg__svm *svm, const double *u, double *gradient);

#endif
