/*
 * What `ckg run` costs on top of the evaluations: a study of 1,000 trials by the policy sobol with an
 * evaluation that does nothing, against a bare loop that starts the same process 1,000 times.
 *
 *     build/bench/overhead [PROGRAM [TRIALS [ROUNDS]]]
 *
 * Each round times both, one after the other, in the same run.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

/* Starts the process and waits for it. */
static void spawn(char *const *words)
{
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
    if (posix_spawnp(&process, words[0], &actions, NULL, words, environ) ||
        waitpid(process, &status, 0) < 0) {
        perror(words[0]);
        exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
}

static void write_file(const char *path, const char *command, int trials)
{
    FILE *file = fopen(path, "w");

    if (!file ||
        fprintf(file,
                "name: overhead\ngoal: minimize\nbudget: %d\npolicy: sobol\nseed: 1\nparameters:\n  x: "
                "{type: real, low: 0, high: 1}\n"
                "  y: {type: real, low: 0, high: 1}\nobjective: {name: f, noise: none}\nevaluate:\n  "
                "command: %s\n",
                trials, command) < 0 ||
        fclose(file)) {
        perror(path);
        exit(1);
    }
}

/* Seconds of a whole study in an empty folder. */
static double study(const char *program, const char *folder, const char *command, int trials)
{
    char path[512];
    char store[600];

    snprintf(path, sizeof path, "%s/overhead.yaml", folder);
    write_file(path, command, trials);
    char *const words[] = {(char *)program, "run", path, "--quiet", NULL};
    const double start = app_clock();
    spawn(words);
    const double seconds = app_clock() - start;
    static const char *const endings[] = {"yaml", "db", "db-wal", "db-shm", "db-turn"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(store, sizeof store, "%s/overhead.%s", folder, endings[i]);
        unlink(store);
    }
    return seconds;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/ckg-overhead-XXXXXX";
    const int trials = argc > 2 ? atoi(argv[2]) : 1000;
    const int rounds = argc > 3 ? atoi(argv[3]) : 5;
    char *const nothing[] = {"/bin/true", NULL};
    char *const answers[] = {"/bin/echo", "{\"f\": 1}", NULL};
    const char *program = argc > 1 ? argv[1] : "build/ckg";

    if (trials < 1 || rounds < 1 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: overhead [PROGRAM [TRIALS [ROUNDS]]]\n");
        return 2;
    }
    printf("%d evaluations, seconds\n%-8s %12s %12s %8s %12s %12s %8s\n", trials, "round", "true, bare",
           "true, ckg", "ratio", "echo, bare", "echo, ckg", "ratio");
    for (int r = 1; r <= rounds; r++) {
        double bare[2];

        /* The bare loop. */
        for (int k = 0; k < 2; k++) {
            const double start = app_clock();
            for (int i = 0; i < trials; i++)
                spawn(k ? answers : nothing);
            bare[k] = app_clock() - start;
        }

        /* The same by a study: failed trials, and answers. */
        const double failing = study(program, folder, "[/bin/true]", trials);
        const double answering = study(program, folder, "[/bin/echo, '{\"f\": 1}']", trials);
        printf("%-8d %12.3f %12.3f %8.2f %12.3f %12.3f %8.2f\n", r, bare[0], failing, failing / bare[0],
               bare[1], answering, answering / bare[1]);
    }
    rmdir(folder);
    return 0;
}
