/*
 * Repeating a design, once. Whether a function is noisy cannot be read off values at different designs: a
 * rough function without noise explains them as well. It need not be guessed: the same design evaluated again
 * answers to the last bit. Where the values agree, models go through them and the search to the last digits,
 * which is worth far more than a design of the initial ones; where they do not, the estimate of the noise has
 * something to go by, and the best design so far was looked at twice. Without noise, 40 evaluations of six
 * functions end 100 to 40,000 times nearer to the optimum (bench/results/repeat.md).
 */
#include "study/study.h"

/* An initial design of fewer has none to spare. */
enum { FEWEST = 5 };

/* 1 when the noise of some outcome is to be estimated. */
static int is_open(const struct ckg_problem *problem)
{
    for (int j = 0; j < problem->outcomes; j++)
        if (problem->outcome[j].noise == CKG_NOISE_AUTO)
            return 1;
    return 0;
}

/* 1 when some design has been evaluated twice, or is being. */
static int has_repeated(const struct ckg__data *data)
{
    for (int t = 0; t < data->trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];
        if (trial->before >= 0 && trial->state != CKG_CANCELLED)
            return 1;
    }
    return 0;
}

/* 1 when values of the trial came without a standard deviation of their own, and none is missing. */
static int is_plain(const struct ckg__data *data, const struct ckg__trial *trial)
{
    int plain = trial->count == data->problem->outcomes;

    for (int i = 0; i < trial->count; i++)
        plain &= trial->measured[i].sd == CKG_SD_DEFAULT;
    return plain &&
           ckg__problem_offers(data->problem, data->x + (size_t)trial->design * (size_t)data->problem->d);
}

/* The best design, or where none is feasible yet the last one; -1: there is none that would say something. */
static int choose(const struct ckg__data *data)
{
    int trial = ckg__data_best(data);

    if (trial >= 0 && !is_plain(data, &data->trial[trial]))
        trial = -1;
    for (int t = data->trials - 1; trial < 0 && t >= 0; t--)
        if (is_plain(data, &data->trial[t]))
            trial = t;
    return trial < 0 ? -1 : data->trial[trial].design;
}

int ckg__study_repeat_due(const ckg_study *s)
{
    const int last = s->data.trials == s->initial - 1;
    const int blind = (s->policy->traits & CKG__TRAIT_NO_MODEL) != 0;

    if (!last || s->initial < FEWEST || blind || s->size.paper || s->problem->separate ||
        !is_open(s->problem) || has_repeated(&s->data))
        return -1;
    return choose(&s->data);
}
