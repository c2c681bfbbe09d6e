/* The addresses of the server. All of them are known words and numbers; nothing else is ever looked for. */
#include "serve/routes.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/report.h"
#include "serve/page_parts.h"

/* --- refusing --- */

static int is_api(const char *path)
{
    return path && !strncmp(path, "/api/", 5);
}

void app_refuse(struct app_reply *out, const char *path, int status, const char *why)
{
    app_text_free(&out->text);
    *out = (struct app_reply){.status = status, .revision = -1};
    out->type = is_api(path) ? APP_TYPE_JSON : "text/plain; charset=utf-8";
    if (is_api(path))
        app_json_print(&out->text, "{error:%s}", why);
    else
        app_text_print(&out->text, "%s", why);
    app_text_print(&out->text, "\n");
}

/* The status of HTTP for one of the library's. */
static int status_of(int status)
{
    switch (status) {
    case CKG_OK:
        return 200;
    case CKG_ERR_INVALID:
        return 400;
    case CKG_ERR_NOT_FOUND:
        return 404;
    case CKG_ERR_STATE:
        return 409;
    case CKG_ERR_CANCELLED:
        return 503;
    default:
        return 500;
    }
}

void app_reply_take(struct app_reply *out, const char *path, const struct app_api_call *call)
{
    if (call->status) {
        app_refuse(out, path, status_of(call->status), call->message.text);
        return;
    }
    *out = (struct app_reply){.status = 200, .revision = call->revision};
    out->type = call->action->type;
    out->bare = call->action->traits & APP_BARE;
    app_text_add(&out->text, call->out.data ? call->out.data : "", call->out.length);
    if (!strcmp(out->type, APP_TYPE_JSON))
        app_text_print(&out->text, "\n");
}

/* --- what stands in an address --- */

/* A request, and what the braces of its route hold. */
struct asked {
    struct app_cache *cache;
    const struct app_request *request;
    const struct app_rights *rights;
    int study;                          /* {study}: its index; -1: none */
    int number;                         /* {number}; {section}: its index from 1 */
    const struct app_action *action;    /* {query}, {change} */
    const struct app_served_file *file; /* {file} */
};

/* A number from 1 without a sign or zeroes in front; 0: it is none. */
static int number_of(const char *word)
{
    const size_t digits = strspn(word, "0123456789");

    return digits && digits <= 9 && !word[digits] && *word != '0' ? atoi(word) : 0;
}

/* The study of that number, or of that name where only one has it, by its index; -1: none that could be read.
 */
static int find_study(struct app_cache *cache, const char *word)
{
    const int id = number_of(word);
    int by_id = -1;
    int by_name = -1;
    int same = 0;

    pthread_mutex_lock(&cache->lock);
    for (int i = 0; i < cache->count; i++) {
        const struct app_cached_study *p = cache->studies[i];
        if (p->version && p->id == id)
            by_id = i;
        if (p->version && !strcmp(p->name, word)) {
            by_name = i;
            same++;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return by_id >= 0 ? by_id : same == 1 ? by_name : -1;
}

/* From 1; 0: there is none. */
static int section_named(const char *name)
{
    for (int i = 0; app_report_sections[i].id; i++)
        if (!strcmp(app_report_sections[i].id, name))
            return i + 1;
    return 0;
}

static const struct app_served_file *file_named(const char *name)
{
    for (const struct app_served_file *file = app_served_files; file->path; file++)
        if (!strcmp(file->path + 1, name))
            return file;
    return NULL;
}

/* Whether the word is one of that kind. */
static int take_word(struct asked *a, const char *kind, const char *word)
{
    switch (*kind) {
    case 's':
        if (kind[1] == 'e')
            return (a->number = section_named(word)) > 0;
        return (a->study = find_study(a->cache, word)) >= 0;
    case 'n':
        return (a->number = number_of(word)) > 0;
    case 'q':
        return (a->action = app_action_named(word, 0)) != NULL;
    case 'c':
        return (a->action = app_action_named(word, 1)) != NULL;
    default:
        return (a->file = file_named(word)) != NULL;
    }
}

/* Whether the path is of that form, word by word; a file's name has slashes too. */
static int is_of(struct asked *a, const char *form, const char *path)
{
    int same = 1;

    for (; same && *form; form++) {
        if (*form != '{') {
            same = *form == *path++;
            continue;
        }
        const size_t length = form[1] == 'f' ? strlen(path) : strcspn(path, "/");
        char *word = strndup(path, length);
        same = word && app_request_decode(word, 0) && take_word(a, form + 1, word);
        free(word);
        path += length;
        form += strcspn(form, "}");
    }
    return same && !*path;
}

/* An argument of the address, *out being the caller's to free; 0: there is none; -1: it is refused. */
static int find_argument(const struct asked *a, const char *name, char **out, struct app_reply *reply)
{
    const int found = app_request_argument(a->request, name, out);

    if (found < 0)
        app_refuse(reply, a->request->path, 400, "the address has a % that no code follows");
    return found;
}

/* --- calls --- */

/* The input becomes the call's. The least version of the study that will do is as it is now. */
static void call(const struct asked *a, struct app_text *in, struct app_reply *out)
{
    struct app_cache *cache = a->cache;
    struct app_api_call wanted = {.action = a->action, .study = a->study, .in = in->data};

    pthread_mutex_lock(&cache->lock);
    wanted.version = cache->studies[a->study]->version;
    pthread_mutex_unlock(&cache->lock);
    out->kind = APP_REPLY_CALL;
    out->call = in->failed ? NULL : app_cache_call(cache, &wanted);
    if (!out->call)
        app_refuse(out, a->request->path, 503, "too much is being computed already; try again later");
    app_text_free(in);
}

/* With the number or the argument of the address for the input, or for the member of it that is called so. */
static void call_action(const struct asked *a, struct app_reply *out)
{
    const struct app_action *action = a->action;
    struct app_text in = {0};
    char *value = NULL;

    if (action->argument && find_argument(a, action->argument, &value, out) < 0)
        return;
    if (a->number)
        app_text_print(&in, "{\"%s\": %d}", action->takes->name, a->number);
    else if (value && app_action_input(action, action->argument))
        app_text_print(&in, "{\"%s\": %s}", action->argument, value);
    else if (value)
        app_text_print(&in, "%s", value);
    free(value);
    call(a, &in, out);
}

static void call_change(const struct asked *a, struct app_reply *out)
{
    const struct app_request *r = a->request;
    struct app_text in = {0};

    if (strlen(r->body) != r->length) {
        app_refuse(out, r->path, 400, "the body has a zero byte in it");
        return;
    }
    app_text_add(&in, r->body, r->length);
    call(a, &in, out);
}

/* --- the API --- */

/* The cached summaries, one a line, of all studies or of one. */
static void list_studies(const struct asked *a, struct app_reply *out)
{
    struct app_cache *cache = a->cache;

    pthread_mutex_lock(&cache->lock);
    for (int i = 0; i < cache->count; i++)
        if (cache->studies[i]->version && (a->study < 0 || a->study == i))
            app_text_print(&out->text, "%s\n", cache->studies[i]->summary);
    if (a->study >= 0)
        out->revision = cache->studies[a->study]->revision;
    pthread_mutex_unlock(&cache->lock);
}

/* What this server is, and what whoever asks may do with it. */
static void describe_server(const struct asked *a, struct app_reply *out)
{
    app_json_print(&out->text, "{version:%s steer:%i}", ckg_version(), a->rights->steers);
    app_text_print(&out->text, "\n");
}

/* Events of all studies, or of the one that is asked for. */
static void stream_events(const struct asked *a, struct app_reply *out)
{
    char *word = NULL;
    const int found = find_argument(a, "study", &word, out);

    if (found >= 0) {
        out->kind = APP_REPLY_STREAM;
        out->study = found ? find_study(a->cache, word) : -1;
    }
    if (found > 0 && out->study < 0)
        app_refuse(out, a->request->path, 404, "there is no such study");
    free(word);
}

/* --- people --- */

/* Every page is the same one: its scripts ask for the rest. */
static void show_page(const struct asked *a, struct app_reply *out)
{
    const struct app_cached_study *p = a->study >= 0 ? a->cache->studies[a->study] : NULL;

    pthread_mutex_lock(&a->cache->lock);
    const int last = p ? p->count : 0;
    pthread_mutex_unlock(&a->cache->lock);
    if (a->number > last)
        app_refuse(out, a->request->path, 404, "there is no such trial");
    else
        app_text_print(&out->text, "%s", file_named("index.html")->data);
}

/* A file of the program's own. */
static void show_file(const struct asked *a, struct app_reply *out)
{
    if (!strcmp(a->file->path, "/style.css"))
        app_report_css(&out->text);
    app_text_print(&out->text, "%s", a->file->data);
    out->type = a->file->type;
}

/* --- the addresses --- */

/* What is in braces is checked by its kind. */
struct route {
    enum app_method method;
    const char *form, *type;
    void (*answer)(const struct asked *asked, struct app_reply *out);
    const struct app_action *action; /* of call_action, where no word of the address names it */
};

static const struct route routes[] = {
    {APP_GET, "/", APP_TYPE_HTML, show_page, NULL},
    {APP_GET, "/study/{study}", APP_TYPE_HTML, show_page, NULL},
    {APP_GET, "/study/{study}/lab", APP_TYPE_HTML, show_page, NULL},
    {APP_GET, "/study/{study}/trial/{number}", APP_TYPE_HTML, show_page, NULL},
    {APP_GET, "/study/{study}/report", NULL, call_action, &app_call_report},
    {APP_GET, "/study/{study}/part/head", NULL, call_action, &app_call_head},
    {APP_GET, "/study/{study}/part/{section}", NULL, call_action, &app_call_section},
    {APP_GET, "/api/v1/server", APP_TYPE_JSON, describe_server, NULL},
    {APP_GET, "/api/v1/events", APP_TYPE_JSON, stream_events, NULL},
    {APP_GET, "/api/v1/studies", APP_TYPE_LINES, list_studies, NULL},
    {APP_GET, "/api/v1/studies/{study}", APP_TYPE_JSON, list_studies, NULL},
    {APP_GET, "/api/v1/studies/{study}/trials", NULL, call_action, &app_call_trials},
    {APP_GET, "/api/v1/studies/{study}/trials/{number}", NULL, call_action, app_queries},
    {APP_GET, "/api/v1/studies/{study}/{query}", NULL, call_action, NULL},
    {APP_POST, "/api/v1/studies/{study}/{change}", NULL, call_change, NULL},
    {APP_GET, "/{file}", NULL, show_file, NULL},
};

/* The route of the path and the method; where there is none, another method's; NULL: none at all. */
static const struct route *find_route(const struct asked *empty, enum app_method method, struct asked *out)
{
    const struct route *found = NULL;

    for (size_t i = 0; i < sizeof routes / sizeof *routes && (!found || found->method != method); i++) {
        struct asked asked = *empty;
        asked.action = routes[i].action;
        if (is_of(&asked, routes[i].form, asked.request->path)) {
            found = &routes[i];
            *out = asked;
        }
    }
    return found;
}

void app_route(struct app_cache *cache, const struct app_request *r, const struct app_rights *rights,
               struct app_reply *out)
{
    const enum app_method method = r->method == APP_HEAD ? APP_GET : r->method;
    struct asked asked = {.cache = cache, .request = r, .rights = rights, .study = -1};
    const struct route *route = find_route(&asked, method, &asked);

    *out = (struct app_reply){.status = 200, .revision = -1};
    if (!route) {
        app_refuse(out, r->path, 404, "there is no such page");
    } else if (route->method != method) {
        app_refuse(out, r->path, 405,
                   method == APP_POST ? "nothing can be posted there"
                                      : "this changes the study: it is asked for by POST");
        out->allow = method == APP_POST ? "GET, HEAD" : "POST";
    } else {
        out->type = route->type;
        route->answer(&asked, out);
        if (out->text.failed)
            app_refuse(out, r->path, 503, "out of memory");
    }
}
