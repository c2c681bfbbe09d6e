/* How hard to look: with one belief, with each of several, and as the paper's authors did. */
#include "search/search.h"

const struct ckg__search_size ckg__search_size_one = {
    .base = CKG__POINTS,
    .data = 48,
    .local = CKG__LOCAL,
    .candidates = CKG__CANDIDATES,
    .scout_nodes = 8,
    .nodes_one = 25,
    .nodes = 128,
    .surprises = 13,
    .pairs_one = 25,
    .pairs = 48,
    .inner = CKG__INNER,
    .inner_evaluations = 12,
    .refine = CKG__REFINE,
    .refine_evaluations = 15,
};

const struct ckg__search_size ckg__search_size_sampled = {
    .base = CKG__POINTS_SAMPLED,
    .data = 32,
    .local = CKG__LOCAL,
    .candidates = CKG__CANDIDATES,
    .scout_nodes = 6,
    .nodes_one = 11,
    .nodes = 32,
    .surprises = 9,
    .pairs_one = 16,
    .pairs = 32,
    .inner = CKG__INNER,
    .inner_evaluations = 8,
    .refine = CKG__REFINE,
    .refine_evaluations = 10,
};

const struct ckg__search_size ckg__search_size_paper = {
    .base = 256,
    .data = 64,
    .local = 0,
    .candidates = 500,
    .scout_nodes = 3,
    .nodes_one = 3,
    .nodes = 27,
    .surprises = 5,
    .pairs_one = 15,
    .pairs = 135,
    .inner = 4,
    .inner_evaluations = 30,
    .refine = 3,
    .refine_evaluations = 20,
    .paper = 1,
};
