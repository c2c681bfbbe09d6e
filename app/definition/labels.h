/*
 * What a problem file says of its parameters and outcomes that only the program knows: units, descriptions,
 * the types of categories, and parameters that are fixed.
 */
#ifndef CKG_APP_LABELS_H
#define CKG_APP_LABELS_H

#include "definition/typed.h"

/* Of a parameter or an outcome; every text may be NULL. */
struct app_label {
    char *unit, *description;
    char *title;          /* its name with the unit: "wire (mm)"; NULL without a unit */
    unsigned char *types; /* of its categories, enum app_type; NULL: they are texts */
    char *was;            /* a new parameter's value so far, for `ckg change` */
};

/* A parameter that is passed on and not varied. */
struct app_fixed {
    char *name, *text;
    enum app_type type;
    struct app_label label;
};

/* A column of a list of designs that is no parameter: passed on with the design that it belongs to. */
struct app_carried {
    char *name;
    char **text;         /* of each design of the list */
    unsigned char *type; /* likewise, enum app_type */
};

#endif
