/* See dpdk_log.h. */
#include "core/dpdk_log.h"
#include "core/internal.h"

#include <rte_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 2048 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char kept[KEPT + 1];
static size_t used;
static FILE *file;

/* For fopencookie(). */
static ssize_t hear(void *cookie, const char *text, size_t size) {
    (void)cookie;
    pthread_mutex_lock(&lock);
    size_t room = KEPT - used, part = size < room ? size : room;
    memcpy(kept + used, text, part);
    used += part;
    if (file != NULL) {
        fwrite(text, 1, size, file);
        fflush(file);
    }
    pthread_mutex_unlock(&lock);
    return (ssize_t)size;
}

static void take_over(void) {
    const char *path = getenv("MACS_DPDK_LOG");
    cookie_io_functions_t functions = {.write = hear};
    FILE *stream = fopencookie(NULL, "w", functions);
    if (path != NULL && *path != '\0' && (file = fopen(path, "ae")) == NULL)
        macs_odp_log(ODP_LOG_WARN, "cannot open %s for DPDK's log: %s\n", path, strerror(errno));
    if (stream == NULL)
        return;
    setvbuf(stream, NULL, _IOLBF, 0);
    rte_openlog_stream(stream);
}

void macs_odp_dpdk_listen(void) {
    static bool taken;
    if (!taken)
        take_over();
    taken = true;
    pthread_mutex_lock(&lock);
    used = 0;
    pthread_mutex_unlock(&lock);
}

void macs_odp_dpdk_complain(void) {
    char text[KEPT + 1], *rest = text;
    pthread_mutex_lock(&lock);
    memcpy(text, kept, used);
    text[used] = '\0';
    pthread_mutex_unlock(&lock);
    while (rest != NULL) {
        const char *line = strsep(&rest, "\n");
        if (*line != '\0')
            macs_odp_log(ODP_LOG_ERR, "DPDK: %s\n", line);
    }
}
