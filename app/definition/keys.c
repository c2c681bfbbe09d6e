/* The keys of a problem file. Add a row for a new key, then run scripts/key-docs.sh. */
#include "definition/keys.h"

#include <stddef.h>

static const struct app_file_key file_keys[] = {
    {"name", "a text", "needed", "the study's name in its store"},
    {"goal", "`minimize`, `maximize`", "needed", "what is wanted of the objective"},
    {"budget", "an integer", "needed",
     "evaluations in all, the initial design included; what they may cost in all where outcomes have a "
     "`cost`"},
    {"initial", "an integer", "max(10, 2(d+1))",
     "designs that fill the space before the policy takes over; d is the number of parameters"},
    {"stop", "`{gain: 1%}`", "the whole budget is spent",
     "ends a run once the rest of the budget is expected to gain too little"},
    {"policy", "a name, or `{name: auto, candidates: 200}`", "`auto`",
     "how designs are chosen, with settings of its own; `ckg policies` lists them"},
    {"seed", "an integer", "drawn and recorded", "same seed, same designs"},
    {"failures", "`model`, `ignore`", "`model`",
     "learn where evaluations fail and keep away, or take no notice"},
    {"model", "a mapping", "the library's", "how outcomes are modelled"},
    {"parameters", "`{NAME: {…}, …}`", "needed, or the columns of `choose_from`", "what may be varied"},
    {"rules", "`[\"pitch >= 1.2 * od\", …]`", "none",
     "what is known of the parameters before any evaluation; no design that is chosen breaks one"},
    {"objective", "a mapping", "needed", "the outcome to make as small or as large as possible"},
    {"constraints", "`{NAME: {…}, …}`", "none", "outcomes that must keep within limits"},
    {"groups", "`[[weight, height], …]`", "each outcome by itself",
     "outcomes that are always measured together, where outcomes can be measured one at a time"},
    {"designs", "`[{NAME: value, …}, …]`", "none",
     "designs of your own, evaluated first and in this order; they count towards `budget` and `initial`"},
    {"choose_from", "a CSV file, or `[{NAME: value, …}, …]`", "all designs within the ranges",
     "a finite list of designs: `parameters` may be left out then, or say less; columns that are no "
     "parameters "
     "are passed on"},
    {"evaluate", "a mapping", "people or other programs evaluate",
     "the command that evaluates a design; without it use `ckg ask` and `ckg tell`"},
    {"store", "a path, or `postgresql://HOST/DATABASE`", "the file's own path with the ending `.db`",
     "where the study is kept, unless `--store` says otherwise; a path begins at the file's folder"},
    {0},
};

static const struct app_file_key parameter_keys[] = {
    {"type", "`real`, `integer`, `categorical`", "needed unless fixed", "what kind of values it has"},
    {"low", "a number", "needed for numbers", "its smallest value"},
    {"high", "a number", "needed for numbers", "its largest value"},
    {"step", "a number", "none; 1 for an integer",
     "only low, low + step, low + 2·step, … are used; high need not be one of them"},
    {"scale", "`linear`, `log`", "`linear`",
     "`log` where ratios count rather than differences: a rate from 0.0001 to 0.1, a batch from 1 to 1024"},
    {"values", "`[steel, brass]`, `[8, 32, 128]`", "needed if categorical",
     "the categories; numbers, true and false arrive as such in JSON, in quotes they are texts"},
    {"value", "a number, a text, `true`, `false`", "it varies",
     "fixes it: passed on to the evaluation and shown, not varied"},
    {"was", "a value", "none",
     "of a parameter that is new in a study with trials: the value that it had in all of them, for `ckg "
     "change`"},
    {"unit", "a text", "none", "shown beside its name: `mm`"},
    {"description", "a text", "none", "a line about it, for the report"},
    {0},
};

static const struct app_file_key objective_keys[] = {
    {"name", "a text", "needed", "what the evaluation's answer calls it"},
    {"noise", "`auto`, `varying`, `none`, a standard deviation", "`auto`: estimated",
     "whether a second evaluation of the same design would differ, and by how much; `varying`: more in some "
     "places than in others"},
    {"positive", "`true`, `false`", "`false`",
     "`true` where it can only be above 0, like a mass: modelled by its logarithm, and a value that is not "
     "above 0 is refused"},
    {"cost", "a number", "all outcomes are measured together",
     "what measuring it alone costs; once one outcome has a cost, each step says which to measure, and the "
     "others cost 1"},
    {"unit", "a text", "none", "shown beside its name: `kg`"},
    {"description", "a text", "none", "a line about it, for the report"},
    {0},
};

static const struct app_file_key constraint_keys[] = {
    {"min", "a number", "no lower limit", "feasible at this value and above"},
    {"max", "a number", "no upper limit",
     "feasible at this value and below; one of the two, or `equal`, is needed"},
    {"equal", "a number", "no equality",
     "feasible at this value, give or take the tolerance; instead of limits"},
    {"tolerance", "a number above 0", "needed with `equal`",
     "how far from `equal` is still good, in the outcome's unit"},
    {"type", "`yesno`", "a number with limits",
     "`yesno` where only yes or no is known, `true` or `false`: feasible where it is yes; without limits and "
     "noise"},
    {"noise", "`auto`, `varying`, `none`, a standard deviation", "`auto`: estimated", "as for the objective"},
    {"positive", "`true`, `false`", "`false`", "as for the objective"},
    {"cost", "a number", "all outcomes are measured together", "as for the objective"},
    {"unit", "a text", "none", "as for the objective"},
    {"description", "a text", "none", "as for the objective"},
    {0},
};

static const struct app_file_key evaluate_keys[] = {
    {"command", "`[program, argument, …]`", "needed, or `commands`",
     "a list of words, never a shell line; it runs in the file's folder, gets the design as JSON on standard "
     "input, and `{NAME}` in an argument becomes that parameter's value; `{{NAME}}` is the text `{NAME}`"},
    {"commands", "`{OUTCOME: [program, …], …}`", "one `command` for all",
     "where outcomes have costs, a command for each, or for a group under the name of one of its outcomes; "
     "those that are wanted run one after another, and their answers count together"},
    {"timeout", "seconds", "none", "an evaluation that takes longer has failed"},
    {"parallel", "an integer", "1", "how many evaluations at once"},
    {"retries", "an integer", "0", "how often a failed evaluation is tried again"},
    {"pause_after", "an integer, 0: never", "as many as look like an outage",
     "failures in a row that pause the run"},
    {"ahead", "an integer", "0",
     "how many designs are chosen before anybody is free to evaluate them, so that workers need not wait; "
     "they know less than designs that are chosen later"},
    {"needs", "`{licence: cfd}`", "nothing", "labels that a `ckg worker` must have to evaluate this study"},
    {"slurm", "a mapping", "evaluations are processes of this machine",
     "evaluations as jobs of a Slurm cluster; instead of `parallel` and `timeout`"},
    {"work", "a mapping, `{}`", "the command runs in the file's folder",
     "a folder for each trial, in which its command runs"},
    {"results", "a file, or a mapping", "standard output",
     "where the answer is; the file is looked for where the command runs, and has a JSON object, as standard "
     "output would"},
    {"environment", "`{OMP_NUM_THREADS: 4}`", "none",
     "variables for the command, beside those of `ckg`'s own"},
    {"before", "`[module load gcc, …]`", "none",
     "lines of shell, run by bash before the command, which finds the variables that they have set"},
    {0},
};

static const struct app_file_key work_keys[] = {
    {"folder", "a path", "NAME.work", "where the folders of trials are; each is called by its number"},
    {"keep", "`all`, `failed`, `none`", "`all`", "which of them stay when their trial has ended"},
    {"quota", "a size such as `2 GB`", "any size",
     "of all that stay together; the oldest go where it would be more"},
    {"files", "`[mesh.dat, solve.py]`", "none",
     "files and folders beside the problem file that each trial finds in its own folder, as symbolic links"},
    {"templates", "`{deck.inp: deck.template}`", "none",
     "files to be written for each trial, and what they are made from: `{{NAME}}` becomes that parameter's "
     "value, `{{NAME:%10.4e}}` the same in a format of C"},
    {0},
};

static const struct app_file_key results_keys[] = {
    {"file", "a path", "standard output", "the file to look at"},
    {"find", "`{mass: \"MASS =\"}`", "a JSON object",
     "each outcome's number stands behind this text, where that comes last; any space matches any other"},
    {0},
};

static const struct app_file_key slurm_keys[] = {
    {"partition", "a name", "the cluster's default", "where jobs run"},
    {"time", "minutes, `\"01:00:00\"`, `\"1-12:00:00\"`", "the partition's",
     "a job that takes longer is ended by Slurm, and its evaluation has failed"},
    {"cpus", "an integer", "the cluster's default", "processors of a job"},
    {"options", "`[\"--mem=2G\", …]`", "none", "further options of `sbatch`, a word each"},
    {"concurrent", "an integer", "10", "how many jobs at once, waiting ones included"},
    {0},
};

static const struct app_file_key stop_keys[] = {
    {"gain", "a number, or a share such as `1%`", "needed",
     "the run ends when the rest of the budget is expected to gain less: in the objective's units, or as a "
     "share of the objective of what is recommended"},
    {"patience", "an integer", "5", "after so many evaluations in a row of which that was said"},
    {0},
};

const struct app_file_part app_file_parts[] = {
    {"a problem file", "The file", "", file_keys},
    {"a parameter", "A parameter", "parameters: {NAME: {…}}", parameter_keys},
    {"the objective", "The objective", "objective: {…}", objective_keys},
    {"a constraint", "A constraint", "constraints: {NAME: {…}}", constraint_keys},
    {"`evaluate`", "The evaluation", "evaluate: {…}", evaluate_keys},
    {"`slurm`", "A Slurm cluster", "evaluate: {slurm: {…}}", slurm_keys},
    {"`work`", "A folder for each trial", "evaluate: {work: {…}}", work_keys},
    {"`results`", "Results in a file", "evaluate: {results: {…}}", results_keys},
    {"`stop`", "When to stop", "stop: {…}", stop_keys},
    {"`model`", "How outcomes are modelled", "model: {…}", NULL},
    {0},
};
