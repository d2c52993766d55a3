#include "runtime/odp_log.h"
#include "runtime/shown.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { NOTHING, WRITING, KEPT };

static struct {
    _Atomic int state;
    char line[256];
} first;

static void keep(const char *format, va_list arguments) {
    int nothing = NOTHING;
    if (!atomic_compare_exchange_strong(&first.state, &nothing, WRITING))
        return;
    vsnprintf(first.line, sizeof(first.line), format, arguments);
    first.line[strcspn(first.line, "\n")] = '\0';
    atomic_store_explicit(&first.state, KEPT, memory_order_release);
}

int macs_odp_says(odp_log_level_t level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    macs_tell_arguments(stderr, format, arguments);
    va_end(arguments);
    if (level == ODP_LOG_ERR) {
        va_start(arguments, format);
        keep(format, arguments);
        va_end(arguments);
    }
    return 0;
}

const char *macs_odp_reason(int error) {
    if (atomic_load_explicit(&first.state, memory_order_acquire) == KEPT)
        return first.line;
    return strerror(error ? error : EIO);
}
