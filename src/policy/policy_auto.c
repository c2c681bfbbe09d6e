/*
 * The default: the policy that suits what is known so far, in a trust region where that is due
 * (search/trust_region.c).
 *
 * Without noise a feasible design in hand is known for what it is, and the best of them is recommended
 * (study/recommend.c). The gain of the recommendation by one more evaluation is then the improvement of the
 * best design evaluated, whose expectation needs no discretisation: `cei`. Under noise, and until something
 * feasible is known, it is the constrained knowledge gradient: `ckg`. Measured on COCO's constrained suite at
 * d = 3 and 5, looking further ahead is behind (bench/results/coco-lookahead.md); without constraints it is
 * far behind (bench/results/unconstrained.md).
 */
#include "base/maths.h"
#include "policy/policy.h"

/*
 * 1 when the gain of the recommendation is the improvement of a design in hand. A single outcome puts no
 * design into the hand: where outcomes are measured apart the look is always ahead.
 */
static int improves(const struct ckg__search *search)
{
    return search->size.improve && !search->apart && !ckg__surrogates_noisy(search->scope->models) &&
           ckg__data_best(search->scope->data) >= 0;
}

static const struct ckg__policy *acting(const struct ckg__search *search)
{
    return improves(search) ? &ckg__policy_cei : &ckg__policy_ckg;
}

int ckg__policy_next_gain(struct ckg__search *search, int known, struct ckg__choice *choice)
{
    static const struct ckg__way improve = {
        "improve", NULL,
        "The best measured design is recommended, and here it is expected to be improved on by most."};

    return known ? ckg__policy_hand_over(&ckg__policy_cei, &improve, search, choice)
                 : ckg__policy_suggest(&ckg__policy_ckg, search, choice);
}

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    return ckg__policy_next_gain(search, improves(search), choice);
}

static int score_outcomes(struct ckg__search *search, int count, const double *U, double *value)
{
    return ckg__policy_score_outcomes(&ckg__policy_ckg, search, count, U, value);
}

/* Below this share of sd(y) an improvement is one of the last digits, and new ground may be looked at. */
static const double last_digits = 1e-5;

static int stalled(const struct ckg__search *search, const struct ckg__choice *choice)
{
    return improves(search) ? choice->value < ckg__log(last_digits) : ckg__policy_ckg.stalled(search, choice);
}

static int fallback(struct ckg__search *search, struct ckg__choice *choice)
{
    if (!improves(search))
        return ckg__policy_ckg.fallback(search, choice);
    return ckg__search_rare_turn(search) ? ckg__search_explore(search, choice) : CKG_OK;
}

/* clang-format off */
#define SETTINGS(X) \
    CKG__KNOWLEDGE_SETTINGS(X) \
    CKG__PENALTY_SETTING(X) \
    X(improve, {.value = 1}, 0, 1, 1, \
      "1: without noise, once a feasible design is known, its improvement is what counts; 0: look ahead " \
      "always") \
    CKG__LOCAL_SETTINGS(X)
/* clang-format on */
static const ckg_policy_parameter parameters[] = {SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_auto = {
    .name = "auto",
    .title = "a look ahead, or expected improvement once a measured design is recommended",
    .reference = "Ungredda and Branke; Schonlau, Welch and Jones 1998",
    .value = "that of ckg, or of cei without noise once a feasible design is known",
    .unit = CKG__UNIT_OBJECTIVE,
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_POINTS,
    .narrow = &ckg__trust_region,
    .acting = acting,
    .suggest = suggest,
    .stalled = stalled,
    .fallback = fallback,
    .score_outcomes = score_outcomes};
