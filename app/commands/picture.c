/* Which canvas, by the file's ending; and the file, written whole or not at all. */
#include "commands/picture.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"

int app_picture_table(const struct app_arguments *a, int pages, const struct app_canvas_table **out)
{
    const char *path = app_option(a, "output");
    const char *dot = path ? strrchr(path, '.') : NULL;

    if (!path)
        return app_wrong(a, "--output FILE is missing");
    *out = app_canvas_for(path);
    if (!*out && !(pages && dot && !strcasecmp(dot, ".html")))
        return app_wrong(a, "'%s' must end in %s", path, pages ? ".svg, .png or .html" : ".svg or .png");
    if (*out && (*out)->lacking)
        return app_wrong(a, "%s", (*out)->lacking);
    return CKG_OK;
}

int app_picture_write(const struct app_arguments *a, int status, struct app_text *picture)
{
    if (!status)
        return app_write_text(app_option(a, "output"), picture, a->message);
    app_text_free(picture);
    return status;
}
