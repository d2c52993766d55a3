/* What was done, a word for each thing, in order: those who stand in for parts of the runtime note it, a test compares.
 */
#ifndef MACS_TEST_RUNTIME_HAPPENED_H
#define MACS_TEST_RUNTIME_HAPPENED_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char happened[20000];

__attribute__((format(printf, 1, 2))) static void happens(const char *format, ...) {
    const size_t at = strlen(happened);
    va_list arguments;
    va_start(arguments, format);
    happened[at] = ' ';
    vsnprintf(happened + at + (at != 0), sizeof(happened) - at - 1, format, arguments);
    va_end(arguments);
}

/* Whether these words were noted since the last call. */
static bool was(const char *wanted) {
    const bool same = !strcmp(happened, wanted);
    if (!same)
        printf("'%s' instead of '%s'\n", happened, wanted);
    happened[0] = 0;
    return same;
}

#endif
