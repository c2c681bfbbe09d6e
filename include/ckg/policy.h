/*
 * The built-in policies: the ways to choose the next design, and the parameters of each. This is the only
 * list; everything that shows or checks policies reads it.
 */
#ifndef CKG_POLICY_H
#define CKG_POLICY_H

#include <stddef.h>

#include <ckg/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A parameter's value if you do not set it: value + per_parameter·d for a problem with d parameters, rounded
 * up for an integer, and within least … most. Except in `value`, zero means "none".
 */
typedef struct ckg_policy_default {
    double value; /* NAN: found from the data, as the help says */
    double per_parameter;
    double least, most;
    double sampled; /* instead of all that, where hyperparameters are sampled */
} ckg_policy_default;

/* A number that you can give to a policy. */
typedef struct ckg_policy_parameter {
    const char *name;
    ckg_policy_default usual;
    double low, high; /* the range, including both ends */
    int integer;      /* 1: an integer */
    const char *help; /* one line */
} ckg_policy_parameter;

/* The default for a problem with d parameters, with sampled hyperparameters (1) or without (0). */
CKG_API double ckg_policy_parameter_default(const ckg_policy_parameter *parameter, int d, int sampled);

/*
 * The same in words, such as "96" or "300 + 50 d, at most 800". Fills text (size), cut off if it does not
 * fit, and returns it.
 */
CKG_API const char *ckg_policy_parameter_default_text(const ckg_policy_parameter *parameter, char *text,
                                                      size_t size);

typedef struct ckg_policy_info {
    const char *name; /* as in ckg_options.policy */
    const char *title;
    const char *reference;
    const char *value; /* what its value of a design means, in words; "" for a policy that has none */
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
