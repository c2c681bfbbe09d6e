/* What is known exactly of a design that was evaluated (study.h). */
#include "study/study.h"

int ckg__study_ended(const ckg_study *s)
{
    int count = 0;

    for (int t = 0; t < s->data.trials; t++)
        count += s->data.trial[t].state == CKG_COMPLETE || s->data.trial[t].state == CKG_FAILED;
    return count;
}

int ckg__study_exact_facts(const ckg_study *s, const struct ckg__trial *trial, struct ckg_measurement *facts)
{
    const int count = ckg__data_facts(&s->data, trial, facts);
    int exact = ckg__problem_offers(s->problem, s->data.x + (size_t)trial->design * (size_t)s->problem->d);

    for (int i = 0; exact && i < count; i++)
        exact = ckg__data_exact(&s->data, &facts[i]) && ckg__data_agrees(&s->data, trial->design, &facts[i]);
    return exact ? count : 0;
}

int ckg__study_incumbent(const ckg_study *s)
{
    struct ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];
    const int best = ckg__data_best(&s->data);

    return best >= 0 && ckg__study_exact_facts(s, &s->data.trial[best], facts) == s->problem->outcomes ? best
                                                                                                       : -1;
}

void ckg__study_state_facts(const ckg_study *s, int count, const struct ckg_measurement *facts,
                            ckg_recommendation *out)
{
    double feasible = 1;

    for (int i = 0; i < count; i++) {
        const int j = facts[i].outcome;
        ((double *)out->mean)[j] = facts[i].value;
        ((double *)out->sd)[j] = 0;
        if (j)
            ((double *)out->probability)[j - 1] = 1;
        else
            out->utility = facts[i].value;
    }
    for (int j = 1; j < s->problem->outcomes; j++)
        feasible *= out->probability[j - 1];
    out->probability_feasible = feasible;
    out->measured = count == s->problem->outcomes;
}
