/* Units, descriptions, fixed parameters. */
#include "definition/labels.h"

#include <stdlib.h>

void app_label_write(const struct app_label *label, struct app_text *out)
{
    if (label->unit)
        app_json_add_string(out, "unit", label->unit);
    if (label->description)
        app_json_add_string(out, "description", label->description);
}

int app_label_entitle(struct app_label *label, const char *name)
{
    struct app_text title = {0};

    if (!label->unit)
        return 1;
    app_text_print(&title, "%s (%s)", name, label->unit);
    label->title = title.data;
    return !title.failed;
}

void app_label_free(struct app_label *label)
{
    free(label->unit);
    free(label->description);
    free(label->title);
    free(label->types);
    free(label->was);
    *label = (struct app_label){0};
}

void app_fixed_free(struct app_fixed *fixed)
{
    free(fixed->name);
    free(fixed->text);
    app_label_free(&fixed->label);
}

void app_carried_free(struct app_carried *carried)
{
    for (int i = 0; i < carried->count; i++)
        free(carried->text[i]);
    free(carried->text);
    free(carried->type);
    free(carried->name);
}
