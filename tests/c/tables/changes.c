/* Lookups that ask the writer to hold its next change, and one that never ends. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include <macs/qsbr.h>

#include "support.h"
#include "tables/common/changes.h"

static struct macs_changes changes;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds_of_a_change(void) {
    const double start = now();
    macs_changes_count(&changes);
    return now() - start;
}

static void *end_the_lookup(void *arg) {
    (void)arg;
    nanosleep(&(struct timespec){.tv_nsec = (long)(MACS_QSBR_TIMEOUT_NS / 4)}, NULL);
    CHECK(macs_changes_none(&changes, 1));
    macs_changes_repeated(&changes, MACS_CHANGES_REPEATS + 1);
    return NULL;
}

int main(void) {
    const double timeout = (double)MACS_QSBR_TIMEOUT_NS / 1e9;
    pthread_t thread;
    CHECK(macs_changes_seen(&changes) == 0);
    macs_changes_count(&changes);
    CHECK(macs_changes_seen(&changes) == 1 && !macs_changes_none(&changes, 0));
    /* A change waits for a lookup that asks, until it has ended. */
    macs_changes_repeat(&changes, MACS_CHANGES_REPEATS);
    const double start = now(); /* before the other begins to wait */
    CHECK(pthread_create(&thread, NULL, end_the_lookup, NULL) == 0);
    macs_changes_count(&changes);
    CHECK(now() - start >= timeout / 4);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(macs_changes_seen(&changes) == 2);
    /* One that never ends is waited for once, and no longer than that. */
    macs_changes_repeat(&changes, MACS_CHANGES_REPEATS);
    CHECK(seconds_of_a_change() >= timeout);
    CHECK(changes.hung == 1);
    macs_changes_count(&changes);
    CHECK(changes.hung == 1 && macs_changes_seen(&changes) == 4);
    /* Another one is waited for all the same. */
    macs_changes_repeat(&changes, MACS_CHANGES_REPEATS);
    CHECK(seconds_of_a_change() >= timeout);
    /* When they end, the next that asks is waited for. */
    macs_changes_repeated(&changes, MACS_CHANGES_REPEATS + 1);
    macs_changes_repeated(&changes, MACS_CHANGES_REPEATS + 1);
    macs_changes_count(&changes);
    CHECK(changes.hung == 0);
    printf("ok\n");
    return 0;
}
