/*
 * The policies that are built in: how the next design may be chosen, and the parameters each of them has.
 * This is the one list; whatever shows or checks policies reads it.
 */
#ifndef CKG_POLICY_H
#define CKG_POLICY_H

#include <stddef.h>

#include <ckg/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number that a policy can be given. */
typedef struct ckg_policy_parameter {
    const char *name;
    double standard;  /* its value when none is given; NAN: chosen by the policy, as the help says */
    double low, high; /* the range, both ends allowed */
    int whole;        /* 1: a whole number */
    const char *help; /* one line */
} ckg_policy_parameter;

typedef struct ckg_policy_info {
    const char *name; /* as in ckg_options.policy */
    const char *title;
    const char *reference;
    const char *value; /* what its value of a design is, in words; "" for a policy that has none */
    int count;
    const ckg_policy_parameter *parameters; /* (count), static */
} ckg_policy_info;

/* How many policies there are. */
CKG_API int ckg_policy_count(void);

/* Policy number `index`, counted from 0: ckg_policy_at(index, &info). */
CKG_API int ckg_policy_at_sized(int index, ckg_policy_info *out, size_t size);
#define ckg_policy_at(index, out) ckg_policy_at_sized(index, out, sizeof(ckg_policy_info))

/* The policy of that name: ckg_policy_named(name, &info). */
CKG_API int ckg_policy_named_sized(const char *name, ckg_policy_info *out, size_t size);
#define ckg_policy_named(name, out) ckg_policy_named_sized(name, out, sizeof(ckg_policy_info))

/* A value for one of the policy's parameters, by name; see ckg_options. */
typedef struct ckg_setting {
    const char *name;
    double value;
} ckg_setting;

#ifdef __cplusplus
}
#endif
#endif
