/* Units and descriptions, written. */
#include "definition/labels.h"

void app_label_write(const struct app_label *label, struct app_text *out)
{
    if (label->unit)
        app_json_add_string(out, "unit", label->unit);
    if (label->description)
        app_json_add_string(out, "description", label->description);
}
