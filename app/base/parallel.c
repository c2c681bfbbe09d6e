/* Threads that take the next index until there is none. */
#include "base/parallel.h"

#include <pthread.h>

#include <ckg/status.h>

enum { MOST = 256 };

struct work {
    pthread_mutex_t lock; /* of all that follows but the task */
    int count;
    int next;
    int status; /* of the first that failed */
    struct app_message *message;
    app_task *task;
    void *context;
};

/* The next index, -1 where there is none. */
static int take(struct work *w)
{
    return w->status || w->next == w->count ? -1 : w->next++;
}

static void *labour(void *context)
{
    struct work *w = context;
    struct app_message message;

    pthread_mutex_lock(&w->lock);
    for (int index; (index = take(w)) >= 0;) {
        pthread_mutex_unlock(&w->lock);
        const int status = w->task(w->context, index, &message);
        pthread_mutex_lock(&w->lock);
        if (status && !w->status) {
            w->status = status;
            *w->message = message;
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int app_parallel(int count, int threads, app_task *task, void *context, struct app_message *message)
{
    struct work w = {.count = count, .message = message, .task = task, .context = context};
    pthread_t helpers[MOST];
    int started = 0;

    /* This thread works too; where no other can be started, alone. */
    pthread_mutex_init(&w.lock, NULL);
    while (started < threads - 1 && started < count - 1 && started < MOST &&
           !pthread_create(&helpers[started], NULL, labour, &w))
        started++;
    labour(&w);

    for (int t = 0; t < started; t++)
        pthread_join(helpers[t], NULL);
    pthread_mutex_destroy(&w.lock);
    return w.status;
}
