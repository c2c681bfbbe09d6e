/*
 * Reading a rule, from within: the parser, its words and signs, and the parts that it makes of them.
 */
#ifndef CKG_PROBLEM_RULE_PARSER_H
#define CKG_PROBLEM_RULE_PARSER_H

#include <string.h>

#include "base/error.h"
#include "problem/rules.h"

/* What a part of a rule is. */
enum ckg__part_kind { CKG__NUMBER, CKG__TRUTH, CKG__CATEGORY, CKG__WORD };

/* A part that has been read; where it begins and how long it is. */
struct ckg__part {
    enum ckg__part_kind kind;
    int node;      /* CKG__NUMBER, CKG__TRUTH */
    int parameter; /* CKG__CATEGORY */
    int start, length;
};

struct ckg__parser {
    const ckg_problem *problem;
    const char *text;
    int at;    /* the next byte to be read */
    int depth; /* of nesting */
    int wrong; /* the byte that the refusal is about */
    int parameters;
    int nodes;
    struct ckg__rule_node node[CKG__MAX_NODES];
};

/* Letters are those of names: every character beyond ASCII is one. */
static inline int ckg__is_letter(unsigned char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

static inline int ckg__is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* 1 when the name is the text of that length. */
static inline int ckg__is_name(const char *name, const char *text, int length)
{
    return (int)strlen(name) == length && !strncmp(name, text, (size_t)length);
}

/* Remembers where; the words are ckg__fail's. */
#define CKG__REFUSE(p, where, ...) ((p)->wrong = (where), ckg__fail(CKG_ERR_INVALID, __VA_ARGS__))

/* The length of the word or sign at a place, for a message: 40 bytes at most, whole characters. */
int ckg__length_at(const struct ckg__parser *p, int at);

/* Refuses what stands here, or the part, where something else is expected. */
int ckg__refuse_sign(struct ckg__parser *p, const char *expected);
int ckg__refuse_kind(struct ckg__parser *p, const struct ckg__part *part, const char *expected);

void ckg__skip_space(struct ckg__parser *p);

/* Takes the sign, or the word, if it stands here whole. */
int ckg__take_sign(struct ckg__parser *p, const char *sign);
int ckg__take_word(struct ckg__parser *p, const char *word);

/* The length of the name that begins here, 0: none does; whether such a name is a word of the language. */
int ckg__name_length(const struct ckg__parser *p);
int ckg__is_keyword(const char *name, int length);

/* The text between two of the same mark at p->at: where it is and how long; p->at is after it. */
int ckg__take_quoted(struct ckg__parser *p, int *start, int *length);

/* Appends a node; out becomes a part of that kind that ends here. */
int ckg__add_node(struct ckg__parser *p, struct ckg__part *out, enum ckg__part_kind kind,
                  enum ckg__rule_op op, int a, int b);

/* 1 when all values of a categorical are numbers, so that it may stand for one. */
int ckg__is_numeric(const struct ckg__parameter *q);

/* The part must be a number, or becomes one; or a comparison. */
int ckg__need_number(struct ckg__parser *p, struct ckg__part *part);
int ckg__need_truth(struct ckg__parser *p, struct ckg__part *part);

#endif
