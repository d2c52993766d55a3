/* What the implementation says, kept to be compared. */
#ifndef MACS_TEST_ODP_TOLD_H
#define MACS_TEST_ODP_TOLD_H

#include <odp_api.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char told[4096]; /* since it was last compared */

/* A log function: odp_init_t, odp_log_thread_fn_set(). */
static int keep_told(odp_log_level_t level, const char *fmt, ...) {
    va_list args;
    const size_t length = strlen(told);
    (void)level;
    va_start(args, fmt);
    vsnprintf(told + length, sizeof(told) - length, fmt, args);
    va_end(args);
    return 0;
}

static bool has_told(const char *expected) {
    const bool same = strcmp(told, expected) == 0;
    if (!same)
        fprintf(stderr, "told \"%s\", not \"%s\"\n", told, expected);
    told[0] = '\0';
    return same;
}

#endif
