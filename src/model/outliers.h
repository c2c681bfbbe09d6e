/* Where the ordinary values of an outcome lie, whatever a few absurd ones say. */
#ifndef CKG_MODEL_OUTLIERS_H
#define CKG_MODEL_OUTLIERS_H

/* A value on the scale that it is modelled on; `apart`: its design stands apart from those before it. */
struct ckg__member {
    double value;
    int apart;
};

/* The values that are judged. */
struct ckg__sample {
    int n;
    const struct ckg__member *sorted; /* (n) ascending */
    double median;                    /* of those apart */
    double limit;                     /* the distance from it to the outcome's nearer limit; 0: it has none */
    double gap;                       /* how many times as wide as the rest a gap must be */
};

struct ckg__window {
    double low, high;
};

/*
 * 1 when values lie absurdly far out: beyond a gap that is `gap` times as wide as all others are spread
 * around the median, or as the limit is away from it. At least half of those apart, and four, are others. The
 * window then holds them, with a margin.
 */
int ckg__ordinary(const struct ckg__sample *sample, struct ckg__window *window);

#endif
