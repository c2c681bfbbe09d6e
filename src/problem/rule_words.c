/* The words and signs of a rule, the nodes that they become, and refusals (rule_parser.h). */
#include "problem/rule_parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"a number", "a comparison", "a categorical parameter",
                                         "a text in quotes"};

/* --- refusals --- */

/* The word or sign at a place, for a message: at most 40 bytes of it, whole characters. */
int ckg__length_at(const struct ckg__parser *p, int at)
{
    const unsigned char *c = (const unsigned char *)p->text + at;
    int n = 0;

    while (n < 40 && (ckg__is_letter(c[n]) || ckg__is_digit(c[n])))
        n++;
    while (n && (c[n] & 0xC0) == 0x80)
        n--;
    return n ? n : c[0] != 0;
}

int ckg__refuse_sign(struct ckg__parser *p, const char *expected)
{
    const char *c = p->text + p->at;
    const char *hint = *c == '&'                  ? "; write `and`"
                       : *c == '|'                ? "; write `or`"
                       : *c == '!' && c[1] != '=' ? "; write `not`"
                       : *c == '=' && c[1] != '=' ? "; write `==`"
                       : *c == '"' || *c == '\''  ? "; is a quote missing?"
                       : *c == '`'                ? "; is a backtick missing?"
                                                  : "";
    if (!*c)
        return CKG__REFUSE(p, p->at, "the rule ends where %s is expected", expected);
    return CKG__REFUSE(p, p->at, "'%.*s' where %s is expected%s", ckg__length_at(p, p->at), c, expected,
                       hint);
}

int ckg__refuse_kind(struct ckg__parser *p, const struct ckg__part *part, const char *expected)
{
    return CKG__REFUSE(p, part->start, "'%.*s' is %s, where %s is expected",
                       part->length > 40 ? ckg__length_at(p, part->start) : part->length,
                       p->text + part->start, kind_names[part->kind], expected);
}

/* --- words and signs --- */

void ckg__skip_space(struct ckg__parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' ||
           p->text[p->at] == '\r')
        p->at++;
}

/* Takes the sign, if it stands here. */
int ckg__take_sign(struct ckg__parser *p, const char *sign)
{
    ckg__skip_space(p);
    const size_t length = strlen(sign);
    if (strncmp(p->text + p->at, sign, length) != 0)
        return 0;
    p->at += (int)length;
    return 1;
}

/* The length of the name that begins here, 0: none does. */
int ckg__name_length(const struct ckg__parser *p)
{
    int n = 0;

    if (!ckg__is_letter((unsigned char)p->text[p->at]))
        return 0;
    /* ≤, ≥ and ≠ are signs, not letters */
    while ((ckg__is_letter((unsigned char)p->text[p->at + n]) ||
            ckg__is_digit((unsigned char)p->text[p->at + n])) &&
           strncmp(p->text + p->at + n, "≤", 3) != 0 && strncmp(p->text + p->at + n, "≥", 3) != 0 &&
           strncmp(p->text + p->at + n, "≠", 3) != 0)
        n++;
    return n;
}

/* Takes the word, if it stands here whole. */
int ckg__take_word(struct ckg__parser *p, const char *word)
{
    ckg__skip_space(p);
    const int length = (int)strlen(word);
    if (ckg__name_length(p) != length || strncmp(p->text + p->at, word, (size_t)length) != 0)
        return 0;
    p->at += length;
    return 1;
}

int ckg__is_keyword(const char *name, int length)
{
    static const char *const words[] = {"and", "or", "not", "in", "if", "then"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ckg__is_name(words[i], name, length))
            return 1;
    return 0;
}

/* The text between two of the same mark at p->at: where it is and how long; p->at is after it. */
int ckg__take_quoted(struct ckg__parser *p, int *start, int *length)
{
    const char mark = p->text[p->at];
    const char *end = strchr(p->text + p->at + 1, mark);

    if (!end)
        return CKG__REFUSE(p, p->at, "no %c ends what begins here", mark);
    *start = p->at + 1;
    *length = (int)(end - p->text) - *start;
    p->at = *start + *length + 1;
    return CKG_OK;
}

/* --- nodes --- */

/* Appends a node; out becomes a part of that kind that ends here. */
int ckg__add_node(struct ckg__parser *p, struct ckg__part *out, enum ckg__part_kind kind,
                  enum ckg__rule_op op, int a, int b)
{
    if (p->nodes == CKG__MAX_NODES)
        return CKG__REFUSE(p, p->at, "the rule is too long; make two of it");

    struct ckg__rule_node *node = &p->node[p->nodes];
    const int leaf = op == CKG__OP_CONSTANT || op == CKG__OP_PARAMETER || op == CKG__OP_CATEGORY ||
                     op == CKG__OP_IS || op == CKG__OP_SAME;
    *node = (struct ckg__rule_node){.op = op, .a = a, .b = b};
    node->reals = leaf ? op == CKG__OP_PARAMETER && ckg__is_real(&p->problem->parameters[a])
                       : p->node[a].reals || (b >= 0 && p->node[b].reals);
    out->kind = kind;
    out->node = p->nodes++;
    out->length = p->at - out->start;
    return CKG_OK;
}

/* A categorical whose values are all numbers may stand for a number. */
int ckg__is_numeric(const struct ckg__parameter *q)
{
    for (int v = 0; v < q->count; v++) {
        char *end;
        const double value = strtod(q->values[v], &end);
        if (end == q->values[v] || *end || !isfinite(value))
            return 0;
    }
    return 1;
}

int ckg__need_number(struct ckg__parser *p, struct ckg__part *part)
{
    if (part->kind == CKG__CATEGORY && ckg__is_numeric(&p->problem->parameters[part->parameter])) {
        struct ckg__part before = *part;
        const int status = ckg__add_node(p, part, CKG__NUMBER, CKG__OP_CATEGORY, part->parameter, -1);
        part->start = before.start;
        part->length = before.length;
        return status;
    }
    return part->kind == CKG__NUMBER ? CKG_OK : ckg__refuse_kind(p, part, "a number");
}

int ckg__need_truth(struct ckg__parser *p, struct ckg__part *part)
{
    return part->kind == CKG__TRUTH ? CKG_OK : ckg__refuse_kind(p, part, "a comparison");
}
