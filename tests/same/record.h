/*
 * What record.c is made of: the worlds and how they are measured (record_worlds.c), and what is said of a
 * study (record_says.c).
 */
#ifndef CKG_TESTS_RECORD_H
#define CKG_TESTS_RECORD_H

#include <ckg/ckg.h>

enum { MOST_D = 12, MOST_K = 4, PROBES = 4 };

/* What is optimised. */
enum shape { REALS, MIXED, LISTED, TINY };

/* What else there is to a world. */
enum trait {
    EQUAL = 1,      /* the first constraint is an equality; the second, if the first is an answer */
    RULED = 2,      /* rules between parameters, and a rule of the caller's own */
    ANSWERS = 4,    /* the first constraint answers yes or no */
    COSTS = 8,      /* outcomes have costs and are measured as suggested */
    GROUPS = 16,    /* the first two constraints come together */
    STEPS = 32,     /* parameters have steps */
    POSITIVE = 64,  /* the objective is positive, and the last constraint */
    REPEATS = 128,  /* the second constraint repeats the first one, the third nearly does */
    HOPELESS = 256, /* no design is feasible; the first constraint is linear */
    OUTLIER = 512,  /* a value far out now and then */
    OWN = 1024      /* designs of the caller's own among those suggested */
};

struct world {
    const char *name;
    enum shape shape;
    int d, K;
    enum ckg_noise noise;
    int trials, batch;
    int failures; /* 1: evaluations fail in a corner */
    int partial;  /* 1: every third trial lacks some outcomes */
    int traits;
};

/* Those that every policy meets come first: WORLDS of them. */
enum { WORLDS = 11 };
extern const struct world worlds[];

const struct world *world_named(const char *name);
ckg_problem *make_problem(const struct world *w);

/* The outcomes of a trial at x. */
void evaluate(const struct world *w, int trial, const double *x, double *values);

/* Designs of the problem that no study chose. */
void probe_designs(const struct world *w, double *X, int count);

_Noreturn void die(const char *what);
void must(int status);

/* The problem as it reads back. */
void put_problem(const ckg_problem *problem, const struct world *w);
void put_suggestion(const ckg_suggestion *s);

/* What a study says of everything; with `all`, what the first studies did not write down, too. */
void put_study(ckg_study *study, const struct world *w, int all);

/* What each trial is, and what it costs. */
void put_trials(ckg_study *study, const struct world *w);

#endif
