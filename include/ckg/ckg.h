/* Includes everything: constrained Bayesian optimisation with the constrained Knowledge Gradient. */
#ifndef CKG_CKG_H
#define CKG_CKG_H

#include <ckg/option.h>
#include <ckg/policy.h>
#include <ckg/problem.h>
#include <ckg/status.h>
#include <ckg/study.h>
#include <ckg/version.h>

#endif
