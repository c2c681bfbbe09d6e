/* What libpq takes for a password: user:PASSWORD@ before the first slash, password= and sslpassword= behind
 * ?. */
#include "store/secret.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A URL as it is shown, and as it was given. */
struct secret {
    struct secret *next;
    char *shown;
    char *whole;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct secret *secrets;

/* --- the list --- */

static struct secret *find(const char *shown)
{
    struct secret *s = secrets;

    while (s && strcmp(s->shown, shown) != 0)
        s = s->next;
    return s;
}

/* The last that was given counts. The copies are the list's. */
static int remember(char *shown, char *whole)
{
    struct secret *s = NULL;

    if (shown && whole) {
        pthread_mutex_lock(&lock);
        s = calloc(1, sizeof *s);
        if (s) {
            *s = (struct secret){secrets, shown, whole};
            secrets = s;
        }
        pthread_mutex_unlock(&lock);
    }
    if (!s) {
        free(shown);
        free(whole);
    }
    return s != NULL;
}

char *app_secret_give(const char *url)
{
    pthread_mutex_lock(&lock);
    const struct secret *s = find(url);
    char *copy = app_copy(s ? s->whole : url);
    pthread_mutex_unlock(&lock);
    return copy;
}

/* --- what is one --- */

/* Takes so many bytes out of the string; what was behind its new end is gone too. */
static void cut(char *at, size_t count)
{
    const size_t rest = strlen(at + count);

    memmove(at, at + count, rest);
    memset(at + rest, 0, count);
}

/* The URL in the word, NULL: there is none with passwords. */
static char *find_url(char *word)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        char *at = strstr(word, schemes[i]);
        if (at && (at == word || at[-1] == '='))
            return at;
    }
    return NULL;
}

/* user:PASSWORD@ */
static void cut_user(char *url)
{
    char *user = strstr(url, "://") + 3;
    const char *end = user + strcspn(user, "@/");
    char *colon = user + strcspn(user, ":@/");

    if (*end == '@' && *colon == ':')
        cut(colon, (size_t)(end - colon));
}

/* ?password=PASSWORD& */
static void cut_options(char *url)
{
    static const char *const names[] = {"password=", "sslpassword="};
    char *at = strchr(url, '?');

    while (at && *at) {
        const size_t length = 1 + strcspn(at + 1, "&");
        int found = 0;

        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            found |= !strncmp(at + 1, names[i], strlen(names[i]));

        /* What follows becomes the first, where this was. */
        if (found && *at == '?' && at[length])
            cut(at + 1, length);
        else if (found)
            cut(at, length);
        else
            at += length;
    }
}

int app_secret_take(char *word)
{
    char *url = find_url(word);

    if (!url)
        return 1;
    char *whole = app_copy(url);
    cut_user(url);
    cut_options(url);
    if (whole && !strcmp(whole, url)) {
        free(whole);
        return 1;
    }
    return remember(app_copy(url), whole);
}
