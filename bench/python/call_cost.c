/* call_cost COUNT: what an ask and a tell cost through C, by a policy that does next to nothing;
 * microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ckg/ckg.h>

static int ask_and_tell(ckg_study *study)
{
    ckg_suggestion *s = NULL;
    int status = ckg_study_ask(study, &s);

    if (!status) {
        const double values[] = {s->x[0], s->x[1] - 0.5};
        status = ckg_study_tell(study, s->trial, values);
    }
    ckg_suggestion_free(s);
    return status;
}

int main(int words, char **word)
{
    const int count = words > 1 ? atoi(word[1]) : 5000;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = NULL;
    ckg_study *study = NULL;

    options.policy = "random";
    int status = ckg_problem_new(&problem);
    if (!status)
        status = ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR);
    if (!status)
        status = ckg_problem_add_real(problem, "y", 0, 1, CKG_LINEAR);
    if (!status)
        status = ckg_problem_add_constraint(problem, "g", -INFINITY, 0);
    if (!status)
        status = ckg_study_new(&study, problem, &options);

    const clock_t begun = clock();
    for (int i = 0; !status && i < count; i++)
        status = ask_and_tell(study);
    printf("%.3f\n", 1e6 * (double)(clock() - begun) / CLOCKS_PER_SEC / count);
    ckg_study_free(study);
    ckg_problem_free(problem);
    return status != CKG_OK;
}
