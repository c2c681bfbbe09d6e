/*
 * The settings of a policy: one list, of which each row is a member of the struct that the policy reads and a
 * row of the table that callers see, so that the two cannot part. A list may take in those that several
 * policies have.
 */
#ifndef CKG_SEARCH_SETTINGS_H
#define CKG_SEARCH_SETTINGS_H

#include <ckg/policy.h>

#define CKG__MEMBER(name, ...) double name;
#define CKG__ROW(name, ...) {#name, __VA_ARGS__},
#define CKG__SETTINGS(type, table, LIST)                                                                     \
    struct type {                                                                                            \
        LIST(CKG__MEMBER)                                                                                    \
    };                                                                                                       \
    static const ckg_policy_parameter table[] = {LIST(CKG__ROW)}

#endif
