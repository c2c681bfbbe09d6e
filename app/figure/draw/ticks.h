/* Where an axis is marked, and with which labels. */
#ifndef CKG_APP_TICKS_H
#define CKG_APP_TICKS_H

enum { APP_MAX_TICKS = 128 };

struct app_tick {
    double value;
    char label[256]; /* empty: a small mark without a label */
};

struct app_ticks {
    int count;
    int exponent; /* the labels are to be multiplied by 10^exponent */
    struct app_tick tick[APP_MAX_TICKS];
};

/*
 * The largest of 1, 2, 2.5, 5 × 10^k by which `range` is parted into about `want` steps; integer: at least 1
 * and without 2.5.
 */
double app_nice_step(double range, int want, int integer);

/* Multiples of a nice step within low … high, low < high, about `want` of them. */
void app_ticks_linear(struct app_ticks *out, double low, double high, int want, int integer);

/* Powers of ten and, where few of them lie within 0 < low … high, what lies between. */
void app_ticks_log(struct app_ticks *out, double low, double high, int want);

/* 0, and powers of ten from the unit up to high. */
void app_ticks_gap(struct app_ticks *out, double unit, double high, int want);

/* Probabilities that people name, within low … high: 0.5, 0.9, 0.99, … */
void app_ticks_chances(struct app_ticks *out, double low, double high);

/* A number with that many significant digits as people write it: 0.05, 1200, 3×10⁻⁷. */
const char *app_number_nice(double value, int digits, char out[64]);

/* "×10⁵" */
const char *app_exponent(int exponent, char out[64]);

#endif
