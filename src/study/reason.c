/*
 * Why a design was chosen, in a word and a sentence for people: by how it came about (ckg_suggestion.path),
 * else by the policy.
 */
#include <string.h>

#include "study/study.h"

/* `by` NULL: the policy whose value it has. */
static const struct {
    const char *path, *by, *reason;
} ways[] = {
    {"design", "initial", "A point of the initial design, which fills the space before models choose."},
    {"repeat", "repeat", "The best design so far once more, to see whether there is noise."},
    {"local", "local",
     "The most promising design near the best one, by models of that neighbourhood: looking everywhere had "
     "stopped "
     "helping."},
    {"explore", "explore",
     "Far from all data and probably feasible: the search had stalled, or a constraint has only ever said "
     "no."},
    {"restart", "restart", "The trust region has shrunk away; this design begins a new one."},
    {"random", "random", "Any design that is free: the models had nothing to go by, or no time."},
    {"improve", NULL,
     "The best measured design is recommended, and here it is expected to be improved on by most."},
    {"cei-fallback", NULL,
     "No evaluation is expected to change the recommendation, so the expected improvement chose."},
    {"ckg", NULL, "Evaluated here, the recommended design is expected to become better by most."},
};

void ckg__study_say_why(const struct ckg__choice *choice, ckg_suggestion *out)
{
    const int bare = (choice->by->traits & CKG__TRAIT_NO_MODEL) != 0;

    out->chosen_by = choice->by->name;
    out->reason = bare ? "The next design of a policy that needs no models."
                       : "Of the designs that were compared it has the largest value of the policy.";
    if (bare && !strcmp(choice->path, choice->by->name))
        return;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(choice->path, ways[i].path)) {
            out->reason = ways[i].reason;
            out->chosen_by = ways[i].by ? ways[i].by : out->chosen_by;
            return;
        }
}
