/* The addresses of the server. All of them are known words and numbers; nothing else is ever looked for. */
#include "serve/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "serve/desk.h"
#include "serve/pages.h"
#include "report/report.h"

static const char html[] = "text/html; charset=utf-8";
static const char json[] = "application/json";
static const char lines[] = "application/x-ndjson";

/* --- refusing --- */

static int is_api(const char *path)
{
    return path && !strncmp(path, "/api/", 5);
}

void app_refuse(struct app_reply *out, const char *path, int status, const char *why)
{
    app_text_free(&out->text);
    out->text = (struct app_text){0};
    out->status = status;
    out->revision = -1;
    out->bare = 0;
    out->type = is_api(path) ? json : "text/plain; charset=utf-8";
    if (is_api(path)) {
        app_json_open(&out->text, NULL, '{');
        app_json_add_string(&out->text, "error", why);
        app_json_close(&out->text, '}');
    } else
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

void app_reply_take(struct app_reply *out, const char *path, const struct app_errand *e)
{
    if (e->status) {
        app_refuse(out, path, status_of(e->status), e->message.text);
        return;
    }
    out->status = 200;
    out->type = e->product->type;
    out->bare = e->product->bare;
    out->revision = e->revision;
    app_text_add(&out->text, e->out.data ? e->out.data : "", e->out.length);
    if (out->type == json || !strcmp(out->type, json))
        app_text_print(&out->text, "\n");
}

/* --- paths --- */

/* The word if the path goes on with it and ends there or has a slash next; *rest is what follows. */
static int goes_on(const char *path, const char *word, const char **rest)
{
    const size_t length = strlen(word);

    if (strncmp(path, word, length) != 0 || (path[length] && path[length] != '/'))
        return 0;
    *rest = path + length;
    return 1;
}

/* "/7": a number from 1 without a sign or zeroes in front; 0: it is none. */
static int next_number(const char *path, const char **rest)
{
    const size_t digits = *path == '/' ? strspn(path + 1, "0123456789") : 0;

    if (!digits || digits > 9 || path[1] == '0' || (path[1 + digits] && path[1 + digits] != '/'))
        return 0;
    *rest = path + 1 + digits;
    return atoi(path + 1);
}

/* The study of that number by its index, -1: there is none that could be read. */
static int find_study(struct app_board *b, int id)
{
    int found = -1;

    pthread_mutex_lock(&b->lock);
    for (int i = 0; i < b->count; i++)
        if (b->studies[i]->id == id && b->studies[i]->version)
            found = i;
    pthread_mutex_unlock(&b->lock);
    return found;
}

/* --- errands --- */

/* The least version of the study that will do: as it is now. */
static void ask(struct app_board *b, struct app_errand *wanted, const char *path, struct app_reply *out)
{
    pthread_mutex_lock(&b->lock);
    wanted->version = b->studies[wanted->study]->version;
    pthread_mutex_unlock(&b->lock);
    out->errand = app_board_ask(b, wanted);
    if (!out->errand)
        app_refuse(out, path, 503, "too much is being computed already; try again later");
}

/* --- programs --- */

/* A summary a line, of all studies or of one. */
static void list_studies(struct app_board *b, int only, struct app_reply *out)
{
    pthread_mutex_lock(&b->lock);
    for (int i = 0; i < b->count; i++)
        if (b->studies[i]->summary && (only < 0 || only == i))
            app_text_print(&out->text, "%s\n", b->studies[i]->summary);
    if (only >= 0)
        out->revision = b->studies[only]->revision;
    pthread_mutex_unlock(&b->lock);
    out->status = 200;
    out->type = only < 0 ? lines : json;
}

/* The trials that have changed since that revision, as `ckg trials --json` has them. */
static void list_trials(struct app_board *b, int study, const struct app_request *r, struct app_reply *out)
{
    char *word = app_request_argument(r, "since");
    char *end = word;
    const long long since = word ? strtoll(word, &end, 10) : -1;

    if (word && (!*word || *end || *word == '-' || *word == '+' || *word == ' ')) {
        free(word);
        app_refuse(out, r->path, 400, "`since` is a revision, a number");
        return;
    }
    free(word);

    pthread_mutex_lock(&b->lock);
    const struct app_pinned *p = b->studies[study];
    for (int i = 0; i < p->count; i++)
        if (p->lines[i].text && p->lines[i].revision > since)
            app_text_add(&out->text, p->lines[i].text, strlen(p->lines[i].text));
    out->revision = p->revision;
    pthread_mutex_unlock(&b->lock);
    out->status = 200;
    out->type = lines;
}

/* "/trials", "/trials/7", "/recommend", …, of a study. */
static int route_product(struct app_board *b, int study, const char *path, const struct app_request *r,
                         struct app_reply *out)
{
    struct app_errand wanted = {.study = study};
    const char *rest = path;

    if (goes_on(path, "/trials", &rest) && !*rest) {
        list_trials(b, study, r, out);
        return 1;
    }
    if (*rest == '/' && rest != path)
        wanted.number = next_number(rest, &rest);
    wanted.product = app_product_named(wanted.number && !*rest ? "trials" : path + 1);
    if (!wanted.product || (!wanted.number && !strcmp(wanted.product->name, "trials")))
        return 0;
    if (wanted.product->argument)
        wanted.text = app_request_argument(r, wanted.product->argument);
    ask(b, &wanted, r->path, out);
    free(wanted.text);
    return 1;
}

/* What this server is, and what whoever asks may do with it. */
static void describe_server(const struct app_pass *pass, struct app_reply *out)
{
    app_json_open(&out->text, NULL, '{');
    app_json_add_string(&out->text, "version", ckg_version());
    app_json_add_truth(&out->text, "steer", pass->steers);
    app_json_close(&out->text, '}');
    app_text_print(&out->text, "\n");
    out->type = json;
}

/* "/tell", "/discard", …: what changes a study. */
static int route_action(struct app_board *b, int study, const char *path, const struct app_request *r,
                        struct app_reply *out)
{
    struct app_errand wanted = {.study = study, .product = app_action_named(path + 1)};

    if (!wanted.product)
        return 0;
    if (r->method != APP_POST) {
        out->posts = 1;
        app_refuse(out, r->path, 405, "this changes the study: it is asked for by POST");
        return 1;
    }
    if (strlen(r->body) != r->length) {
        app_refuse(out, r->path, 400, "the body has a zero byte in it");
        return 1;
    }
    wanted.text = app_copy(r->body);
    if (wanted.text)
        ask(b, &wanted, r->path, out);
    else
        app_refuse(out, r->path, 503, "out of memory");
    free(wanted.text);
    return 1;
}

/* Behind /api/v1; 0: there is no such thing. */
static int route_api(struct app_board *b, const char *path, const struct app_request *r,
                     const struct app_pass *pass, struct app_reply *out)
{
    const char *rest;

    if (!strcmp(path, "/studies")) {
        list_studies(b, -1, out);
        return 1;
    }
    if (!strcmp(path, "/server")) {
        describe_server(pass, out);
        return 1;
    }
    if (!strcmp(path, "/events")) {
        char *word = app_request_argument(r, "study");
        out->streams = 1;
        out->study = word ? find_study(b, atoi(word)) : -1;
        const int known = !word || out->study >= 0;
        free(word);
        return known;
    }
    if (!goes_on(path, "/studies", &rest))
        return 0;

    const int study = find_study(b, next_number(rest, &rest));
    if (study < 0)
        return 0;
    if (!*rest)
        list_studies(b, study, out);
    else if (!route_action(b, study, rest, r, out))
        return route_product(b, study, rest, r, out);
    return 1;
}

/* --- people --- */

static int section_named(const char *name)
{
    for (int i = 0; app_report_sections[i].id; i++)
        if (!strcmp(app_report_sections[i].id, name))
            return i;
    return -1;
}

static void show_head(struct app_board *b, int study, struct app_reply *out)
{
    pthread_mutex_lock(&b->lock);
    const struct app_pinned *p = b->studies[study];
    app_text_print(&out->text, "%s", p->head ? p->head : "");
    out->revision = p->revision;
    pthread_mutex_unlock(&b->lock);
}

/* Behind /study/7; 0: there is no such thing. */
static int route_study(struct app_board *b, int study, const char *path, const struct app_request *r,
                       struct app_reply *out)
{
    struct app_errand wanted = {.study = study};
    const char *rest;

    if (!*path)
        app_page_study(b, study, &out->text);
    else if (!strcmp(path, "/lab"))
        app_page_lab(b, study, &out->text);
    else if (!strcmp(path, "/part/head"))
        show_head(b, study, out);
    else if (goes_on(path, "/part", &rest) && *rest) {
        wanted.product = &app_product_section;
        wanted.number = section_named(rest + 1);
        if (wanted.number < 0)
            return 0;
    } else if (!strcmp(path, "/report"))
        wanted.product = &app_product_report;
    else if (goes_on(path, "/trial", &rest)) {
        wanted.product = &app_product_trial_page;
        wanted.number = next_number(rest, &rest);
        if (!wanted.number || *rest)
            return 0;
    } else
        return 0;

    if (wanted.product)
        ask(b, &wanted, r->path, out);
    return 1;
}

/* What browsers show beside a title, asked for or not. */
static void show_icon(struct app_reply *out)
{
    app_text_print(&out->text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><rect width=\"16\" "
                   "height=\"16\" rx=\"3\" fill=\"#0b5c8a\"/><path d=\"M2 4 6 10 9 8 14 12\" "
                   "fill=\"none\" stroke=\"#fff\" stroke-width=\"2\"/></svg>\n");
    out->type = "image/svg+xml";
}

/* A file of the program's own. */
static int route_file(const char *path, struct app_reply *out)
{
    if (!strcmp(path, "/favicon.ico")) {
        show_icon(out);
        return 1;
    }
    for (const struct app_served_file *file = app_served_files; file->path; file++)
        if (!strcmp(file->path, path)) {
            if (!strcmp(path, "/style.css"))
                app_report_sheet(&out->text);
            app_text_print(&out->text, "%s", file->data);
            out->type = file->type;
            return 1;
        }
    return 0;
}

static int route(struct app_board *b, const struct app_request *r, const struct app_pass *pass,
                 struct app_reply *out)
{
    const char *rest;

    if (route_file(r->path, out))
        return 1;
    if (goes_on(r->path, "/api/v1", &rest))
        return route_api(b, rest, r, pass, out);

    out->type = html;
    if (!strcmp(r->path, "/"))
        app_page_index(b, &out->text);
    else if (!strcmp(r->path, "/part/studies"))
        app_page_table(b, &out->text);
    else if (goes_on(r->path, "/study", &rest)) {
        const int study = find_study(b, next_number(rest, &rest));
        return study >= 0 && route_study(b, study, rest, r, out);
    } else
        return 0;
    return 1;
}

/* What is only looked at is never posted; an errand that was begun for it is nobody's. */
static void refuse_post(struct app_board *b, const struct app_request *r, struct app_reply *out)
{
    if (out->errand)
        app_board_leave(b, out->errand);
    out->errand = NULL;
    out->streams = 0;
    app_refuse(out, r->path, 405, "nothing can be posted there");
}

void app_route(struct app_board *b, const struct app_request *r, const struct app_pass *pass,
               struct app_reply *out)
{
    *out = (struct app_reply){.status = 200, .revision = -1, .study = -1};
    if (!route(b, r, pass, out))
        app_refuse(out, r->path, 404, "there is no such page");
    else if (r->method == APP_POST && out->status == 200 && !(out->errand && out->errand->product->steers))
        refuse_post(b, r, out);
    else if (out->text.failed)
        app_refuse(out, r->path, 503, "out of memory");
}
