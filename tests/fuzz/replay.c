/*
 * replay FOLDER: every file of the folder, in the order of their names, through the fuzz target that this is
 * linked with. So that a corpus is an ordinary test, with any compiler and under any tool.
 */
#include <dirent.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The bytes alone in memory of their size, so that one byte too far is seen. */
static int replay(const char *path)
{
    struct app_message message;
    char *text;
    size_t length;
    if (app_read_file(path, &text, &length, &message)) {
        fprintf(stderr, "%s\n", message.text);
        return 1;
    }
    uint8_t *bytes = malloc(length ? length : 1);
    if (bytes) {
        memcpy(bytes, text, length);
        LLVMFuzzerTestOneInput(bytes, length);
    }
    const int failed = !bytes;
    free(bytes);
    free(text);
    return failed;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    const int count = argc == 2 ? scandir(argv[1], &entries, is_visible, alphasort) : -1;
    int failed = 0;
    for (int i = 0; i < count; i++) {
        struct app_text path = {0};
        app_text_print(&path, "%s/%s", argv[1], entries[i]->d_name);
        failed |= path.failed || replay(path.data);
        app_text_free(&path);
        free(entries[i]);
    }
    free(entries);
    if (count < 1) {
        fprintf(stderr, "usage: %s FOLDER, with at least one file in it\n", argv[0]);
        return 2;
    }
    printf("%d inputs\n", count);
    return failed;
}
