/*
 * What a problem file says of its parameters and outcomes that only the program knows: units, descriptions,
 * the types of categories, and parameters that are fixed.
 */
#ifndef CKG_APP_LABELS_H
#define CKG_APP_LABELS_H

#include "definition/typed.h"

/* Of a parameter or an outcome; every text may be NULL. */
struct app_label {
    const char *unit, *description;
    const char *title;              /* its name with the unit: "wire (mm)"; NULL without a unit */
    const struct app_value *values; /* of a categorical */
    struct app_value was;           /* a new parameter's value so far, for `ckg change` */
};

/* A parameter that is passed on and not varied. */
struct app_fixed {
    const char *name;
    struct app_value value;
    struct app_label label;
};

/* A column of a list of designs that is no parameter: passed on with the design that it belongs to. */
struct app_carried {
    const char *name;
    struct app_value *value; /* of each design of the list */
};

#endif
