/* What is common to all rows of the registry. */
#include "policy/policy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"

#define ROW(name) &ckg__policy_##name,
static const struct ckg__policy *const rows[] = {CKG__POLICY_LIST(ROW)};
#undef ROW

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)CKG__MAX_POLICIES, "a study keeps something for every policy");

const struct ckg__policy *ckg__policy_find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(rows[i]->name, name))
            return rows[i];
    return NULL;
}

int ckg__policy_index(const struct ckg__policy *policy)
{
    int index = 0;
    while (index < ROWS && rows[index] != policy)
        index++;
    assert(index < ROWS);
    return index;
}

const struct ckg__policy *ckg__policy_default(void)
{
    return rows[0];
}

/* The names of a policy's parameters for a message, as many as fit. */
static const char *names(const struct ckg__policy *policy, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < policy->count; i++) {
        const size_t length = strlen(policy->parameters[i].name);
        if (used + length + 3 > size)
            break;
        if (i) {
            memcpy(text + used, ", ", 2);
            used += 2;
        }
        memcpy(text + used, policy->parameters[i].name, length + 1);
        used += length;
    }
    return policy->count ? text : "none";
}

static int set_one(const struct ckg__policy *policy, const ckg_setting *given, double *setting)
{
    char text[160];

    for (int i = 0; given->name && i < policy->count; i++) {
        const ckg_policy_parameter *p = &policy->parameters[i];
        if (strcmp(p->name, given->name) != 0)
            continue;
        if (!(given->value >= p->low && given->value <= p->high))
            return ckg__fail(CKG_ERR_INVALID, "policy %s: %s = %g is not within %g … %g", policy->name,
                             p->name, given->value, p->low, p->high);
        if (p->integer && given->value != floor(given->value))
            return ckg__fail(CKG_ERR_INVALID, "policy %s: %s = %g is not an integer", policy->name, p->name,
                             given->value);
        setting[i] = given->value;
        return CKG_OK;
    }
    return ckg__fail(CKG_ERR_INVALID, "policy %s has no parameter '%s'; it has: %s", policy->name,
                     given->name ? given->name : "(null)", names(policy, text, sizeof text));
}

int ckg__policy_settings(const struct ckg__policy *policy, int count, const ckg_setting *given,
                         double *setting)
{
    for (int i = 0; i < policy->count; i++)
        setting[i] = NAN;
    if (count < 0 || (count && !given))
        return ckg__fail(CKG_ERR_INVALID, "options: %d settings at no address", count);
    for (int i = 0; i < count; i++) {
        const int status = set_one(policy, &given[i], setting);
        if (status)
            return status;
    }
    return CKG_OK;
}

/* A setting that has the name of a member of the effort becomes that member. */
static void take_size(const struct ckg__policy *policy, int i, double value, struct ckg__search_size *size)
{
    const struct {
        const char *name;
        int *of;
    } sizes[] = {{"candidates", &size->candidates}, {"local", &size->local},
                 {"inner", &size->inner},           {"refine", &size->refine},
                 {"improve", &size->improve},       {"global_every", &size->global_every}};
    const char *name = policy->parameters[i].name;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (!strcmp(name, sizes[k].name))
            *sizes[k].of = (int)value;
    if (!strcmp(name, "points") && policy->traits & CKG__TRAIT_POINTS)
        size->base = (int)value;
    if (!strcmp(name, "region"))
        size->region = value;
}

int ckg__policy_set(const struct ckg__policy *policy, const double *given, struct ckg__search *search)
{
    double *setting = ckg__arena_doubles(search->results, CKG__MAX_SETTINGS);

    if (!setting)
        return CKG_ERR_NOMEM;
    ckg__policy_resolve(policy, search->scope->problem->d, search->scope->models->beliefs > 1, given,
                        setting);
    search->policy = policy;
    search->settings = setting;
    return CKG_OK;
}

/* own ← the search as the policy sees it: of another row it knows no settings. */
static int enter(const struct ckg__policy *policy, const struct ckg__search *search, struct ckg__search *own)
{
    *own = *search;
    return policy == search->policy ? CKG_OK : ckg__policy_set(policy, NULL, own);
}

/* How hard to look; the paper's authors had no settings. */
static void prepare(const struct ckg__policy *policy, struct ckg__search *search)
{
    const double *setting = search->settings;

    if (!policy || search->size.paper)
        return;
    for (int i = 0; setting && i < policy->count; i++)
        take_size(policy, i, setting[i], &search->size);
    if (policy->prepare)
        policy->prepare(search);
}

/* Beliefs, points and M. */
static int price(const struct ckg__policy *policy, struct ckg__search *search)
{
    const unsigned traits = policy ? policy->traits : 0;

    search->weighted = (traits & CKG__TRAIT_WEIGHTED) != 0;
    int status = ckg__search_lookaheads(search, (traits & CKG__TRAIT_ONE_BELIEF) != 0,
                                        (traits & CKG__TRAIT_OBJECTIVE_ONLY) != 0);
    if (!status)
        status = ckg__search_points(search);
    return status ? status : ckg__search_penalty(search);
}

int ckg__policy_price(const struct ckg__policy *policy, struct ckg__search *search)
{
    assert(!policy || !(policy->traits & CKG__TRAIT_NO_MODEL));
    prepare(policy, search);
    return price(policy, search);
}

int ckg__policy_narrow(const struct ckg__policy *policy, struct ckg__search *search)
{
    const struct ckg__scope *scope = search->scope;

    prepare(policy, search);
    const int status = policy && policy->narrow ? policy->narrow->make(search, &scope) : CKG_OK;
    search->scope = scope;
    return status;
}

int ckg__policy_begin(const struct ckg__policy *policy, struct ckg__search *search)
{
    const unsigned traits = policy ? policy->traits : 0;

    if (traits & CKG__TRAIT_NO_MODEL)
        return CKG_OK;

    /* Models of other values than the trials' are there to be drawn from, and nothing else. */
    if (search->scope->models->data != search->scope->data)
        return ckg__search_lookaheads(search, (traits & CKG__TRAIT_ONE_BELIEF) != 0, 0);

    /* M, then what would be recommended now. */
    const int status = price(policy, search);
    return status ? status : ckg__search_recommend(search);
}

void ckg__policy_release_kept(void **kept)
{
    for (int i = 0; i < ROWS; i++)
        if (kept[i])
            rows[i]->narrow->release(kept[i]);
}

void ckg__policy_free_kept(void **kept)
{
    for (int i = 0; i < ROWS; i++)
        if (kept[i])
            rows[i]->narrow->free(kept[i]);
}

int ckg__policy_suggest(const struct ckg__policy *policy, struct ckg__search *search,
                        struct ckg__choice *choice)
{
    struct ckg__acquisition acquisition;
    struct ckg__search own;
    int status = enter(policy, search, &own);

    assert(choice->u && (policy->suggest || policy->acquire));
    choice->found = 0;
    choice->by = policy;
    choice->way = NULL;
    if (!status && policy->suggest)
        return policy->suggest(&own, choice);
    if (!status)
        status = policy->acquire(&own, &acquisition);
    return status ? status : ckg__acquisition_maximise(&own, &acquisition, choice);
}

int ckg__policy_hand_over(const struct ckg__policy *to, const struct ckg__way *way,
                          struct ckg__search *search, struct ckg__choice *choice)
{
    const struct ckg__choice before = *choice;
    struct ckg__search full = *search;

    full.lookahead = ckg__arena_get(search->results, (size_t)search->lookaheads, sizeof *full.lookahead);
    if (!full.lookahead)
        return CKG_ERR_NOMEM;
    for (int o = 0; o < search->lookaheads; o++) {
        full.lookahead[o] = search->lookahead[o];
        full.lookahead[o].belief = full.lookahead[o].full;
    }
    const int status = ckg__policy_suggest(to, &full, choice);
    choice->way = way;
    choice->seconds.screen += before.seconds.screen;
    choice->seconds.inner += before.seconds.inner;
    choice->seconds.refine += before.seconds.refine;
    return status;
}

int ckg__policy_fall_back(struct ckg__search *search, struct ckg__choice *choice)
{
    static const struct ckg__way way = {
        "cei-fallback", NULL,
        "No evaluation is expected to change the recommendation, so the expected improvement chose."};

    choice->measure = (struct ckg__set){{0}};
    return ckg__policy_hand_over(&ckg__policy_cei, &way, search, choice);
}

double ckg__policy_in_units(const struct ckg__policy *policy, const struct ckg__surrogates *models,
                            double value)
{
    const struct ckg__scaling *scaling = &models->surrogate[0].scaling;
    if (policy->unit != CKG__UNIT_OBJECTIVE)
        return value;
    return value * scaling->scale * (scaling->warp != 0 ? fabs(scaling->warp_scale) : 1);
}

int ckg__choice_stalled(const struct ckg__search *search, const struct ckg__choice *choice)
{
    (void)search;
    return choice->stalled;
}

const struct ckg__policy *ckg__policy_acting(const struct ckg__policy *policy,
                                             const struct ckg__search *search)
{
    return policy->acting ? policy->acting(search) : policy;
}

int ckg__policy_score(const struct ckg__policy *policy, struct ckg__search *search, int count,
                      const double *U, double *value)
{
    struct ckg__acquisition acquisition;
    struct ckg__search own;

    policy = ckg__policy_acting(policy, search);
    int status = enter(policy, search, &own);
    if (!status && policy->score)
        return policy->score(&own, count, U, value);
    if (!status && !policy->acquire)
        return ckg__fail(CKG_ERR_INVALID, "policy %s has no values", policy->name);
    if (!status)
        status = policy->acquire(&own, &acquisition);
    return status ? status
                  : ckg__acquisition_at(&own, &acquisition, count, U, count, own.results, value, NULL);
}

int ckg__policy_score_outcomes(const struct ckg__policy *policy, struct ckg__search *search, int count,
                               const double *U, double *value)
{
    struct ckg__search own;
    const int status = enter(policy, search, &own);

    return status ? status : policy->score_outcomes(&own, count, U, value);
}

/* --- the public list --- */

static int describe(const struct ckg__policy *row, ckg_policy_info *out, size_t size)
{
    const ckg_policy_info info = {row->name,  row->title,     row->reference, row->value ? row->value : "",
                                  row->count, row->parameters};

    ckg__fill_sized(out, size, &info, sizeof info);
    return CKG_OK;
}

int ckg_policy_count(void)
{
    return ROWS;
}

int ckg_policy_at_sized(int index, ckg_policy_info *out, size_t size)
{
    ckg__error_clear();
    if (!out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_policy_at: out is NULL");
    if (index < 0 || index >= ROWS)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no policy %d", index);
    return describe(rows[index], out, size);
}

int ckg_policy_named_sized(const char *name, ckg_policy_info *out, size_t size)
{
    ckg__error_clear();
    if (!name || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_policy_named: a NULL argument");
    const struct ckg__policy *row = ckg__policy_find(name);
    return row ? describe(row, out, size) : ckg__fail(CKG_ERR_NOT_FOUND, "no policy is called '%s'", name);
}
