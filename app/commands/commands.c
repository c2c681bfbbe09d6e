/* The commands at a glance, in the order of the overview: one row each. */
#include "command.h"

#define COMMANDS(ROW)                                                                                        \
    ROW(new, "write NAME.yaml, a commented problem file to start from")                                      \
    ROW(run, "evaluate designs until the budget is spent, then recommend one")                               \
    ROW(worker, "evaluate for the studies of a store, on as many machines as there are")                     \
    ROW(ask, "suggest designs for people or other programs to evaluate")                                     \
    ROW(tell, "record the result of a trial")                                                                \
    ROW(discard, "set trials aside, out of sight of the models and the budget")                              \
    ROW(retry, "have trials evaluated again")                                                                \
    ROW(undo, "take the last change back")                                                                   \
    ROW(pause, "pause runs and workers, or stop runs")                                                       \
    ROW(resume, "let paused runs and workers continue")                                                      \
    ROW(change, "take over what the problem file changed in limits, noise, ranges, constraints, parameters") \
    ROW(status, "show where a study stands")                                                                 \
    ROW(trials, "list every trial with its state, parameters, values and feasibility")                       \
    ROW(recommend, "recommend a design, with its prediction and its probability of being feasible")          \
    ROW(model, "show the fitted models and the penalty M")                                                   \
    ROW(importance, "show how much each parameter matters for each outcome")                                 \
    ROW(predict, "predict the outcomes of given designs and their probability of being feasible")            \
    ROW(score, "show the policy's acquisition values at given designs; larger is better")                    \
    ROW(plot, "draw convergence, map, slices, importance, frontier, acquisition or residuals")               \
    ROW(report, "write the study as one HTML page that opens from disk")                                     \
    ROW(serve, "show studies to browsers and programs, live, by pages and an API")                           \
    ROW(export, "write the trials as CSV, or with --json as one object per line, with every digit")          \
    ROW(import, "add trials from a file of `ckg export`, or from any table of parameters and outcomes")      \
    ROW(studies, "list the studies of a store")                                                              \
    ROW(check, "say whether a store is whole, what is damaged and what can be saved")                        \
    ROW(policies, "list the policies that choose the next design, with parameters and references")           \
    ROW(problems, "list the built-in test problems; with a name, print its problem file")                    \
    ROW(bench, "compare policies in replicated experiments, on built-in problems or your own")               \
    ROW(completion, "print a completion script for your shell")                                              \
    ROW(complete, "print what a word may become")                                                            \
    ROW(manual, "print a manual page for man")

#define DECLARATION(NAME, TITLE) extern const struct app_work app_command_##NAME;
#define ENTRY(NAME, TITLE) {#NAME, TITLE, &app_command_##NAME},

COMMANDS(DECLARATION)

const struct app_command app_commands[] = {COMMANDS(ENTRY){0}};
