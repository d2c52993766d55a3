#include "control/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_blank(const char *line) {
    line += strspn(line, " \t\r");
    return !*line || *line == '#';
}

static void report_error(const struct macs_script *script, uint32_t number, const struct macs_text *why,
                         struct macs_text *report) {
    if (script->failed > MACS_SCRIPT_ERRORS)
        return;
    if (script->name)
        macs_text_add(report, "%s:", script->name);
    macs_text_add(report, "%" PRIu32 ": error: ", number);
    macs_text_bytes(report, why->data ? why->data : "", why->length);
    macs_text_add(report, "\n");
}

/* One line; false: it failed. */
static bool run_line(struct macs_script *script, struct macs_console *console, char *line, size_t length,
                     uint32_t number, struct macs_text *answer, struct macs_text *report) {
    int status = 0;
    if (memchr(line, 0, length))
        status = macs_text_fail(answer, "the line has a byte of zero in it");
    else if (is_blank(line))
        return true;
    else
        status = macs_console_run(console, line, answer);
    if (!status) {
        script->done++;
        if (script->answers)
            macs_text_bytes(report, answer->data ? answer->data : "", answer->length);
        return true;
    }
    script->failed++;
    report_error(script, number, answer, report);
    return false;
}

void macs_script_run(struct macs_script *script, struct macs_console *console, char *text, size_t length,
                     struct macs_text *report) {
    struct macs_text answer = {0};
    script->done = script->failed = 0;
    uint32_t number = 0;
    for (size_t at = 0; at < length;) {
        char *end = memchr(text + at, '\n', length - at);
        size_t line_length = end ? (size_t)(end - text) - at : length - at;
        text[at + line_length] = 0;
        bool fine = run_line(script, console, text + at, line_length, ++number, &answer, report);
        if (!fine && !script->keep_going)
            break;
        at += line_length + 1;
    }
    if (script->failed > MACS_SCRIPT_ERRORS)
        macs_text_add(report, "and %" PRIu32 " more errors\n", script->failed - MACS_SCRIPT_ERRORS);
    macs_text_free(&answer);
}

/* The whole file, with room for one more byte; NULL with errno set. */
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t capacity = 0;
    *length = 0;
    do {
        if (*length == capacity) {
            char *more = realloc(text, (capacity = capacity ? 2 * capacity : 1u << 16) + 1);
            if (!more)
                break;
            text = more;
        }
        *length += fread(text + *length, 1, capacity - *length, file);
    } while (!feof(file) && !ferror(file));
    bool fine = feof(file);
    int error = errno;
    fclose(file);
    if (fine)
        return text;
    free(text);
    errno = error ? error : EIO;
    return NULL;
}

int macs_script_run_file(struct macs_console *console, const char *path) {
    size_t length;
    char *text = read_file(path, &length);
    if (!text) {
        int error = errno;
        fprintf(stderr, "error: cannot read the entries file '%s': %s\n", path, strerror(error));
        return -error;
    }
    struct macs_script script = {.name = path, .keep_going = true};
    struct macs_text report = {0};
    macs_script_run(&script, console, text, length, &report);
    fwrite(report.data ? report.data : "", 1, report.length, stderr);
    macs_text_free(&report);
    free(text);
    return script.failed ? -1 : 0;
}
