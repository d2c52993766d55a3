/* Test of deferred counts: bursts of 0 to 200 counts of small and of large counters, whose additions wait for the next
 * burst's end, or are made at once, beside plain additions. Numbers begin just before they wrap around. Prints ok, or
 * what was wrong. */
#include <macs/counter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 50, BURSTS = 5000, MOST = 200, LENGTHS = 1500 };

static struct macs_count cells[2][CELLS], expected[CELLS], before[CELLS];
static struct macs_worker worker = {.index = 1};
static struct macs_counter *counter;

static const char *burst(void) {
    const struct macs_counts counts = macs_counts_of(counter, &worker);
    const int packets = rand() % MOST;
    memcpy(before, expected, sizeof before);
    for (int i = 0; i < packets; i++) {
        const uint32_t cell = (uint32_t)rand() % (CELLS + 5), bytes = (uint32_t)rand() % LENGTHS;
        const bool far = rand() % 2;
        if (cell < CELLS && i % 2)
            macs_counts_defer_hit(&counts, &worker, cell, bytes, far);
        else
            macs_counts_defer(&counts, &worker, cell, bytes, far); /* beyond the end: nothing */
        if (cell < CELLS)
            expected[cell] = (struct macs_count){expected[cell].packets + 1, expected[cell].bytes + bytes};
    }
    if (rand() % 4) {
        macs_counts_flush_earlier(&worker);
        for (int cell = 0; cell < CELLS; cell++)
            if (cells[1][cell].packets < before[cell].packets || cells[1][cell].bytes < before[cell].bytes)
                return "a count waits longer than to the next burst's end";
        if (memcmp(cells[1], expected, sizeof expected) && !macs_counts_are_deferred(&worker))
            return "counts are missing, but none is deferred";
        return NULL;
    }
    macs_counts_flush(&worker);
    if (macs_counts_are_deferred(&worker))
        return "there are deferred counts after all were made";
    return memcmp(cells[1], expected, sizeof expected) ? "counts are lost, or made twice" : NULL;
}

int main(void) {
    static const struct macs_count none[CELLS];
    const char *wrong = NULL;
    counter = malloc(sizeof *counter + 2 * sizeof counter->per_worker[0]);
    if (!counter)
        return 1;
    *counter = (struct macs_counter){.size = CELLS, .workers = 1};
    counter->per_worker[0] = cells[0];
    counter->per_worker[1] = cells[1];
    worker.deferred.first = worker.deferred.next = worker.deferred.latest = (uint32_t)-1000;
    for (int i = 0; i < BURSTS && !wrong; i++)
        wrong = burst();
    if (!wrong && memcmp(cells[0], none, sizeof none))
        wrong = "another worker's counts are changed";
    free(counter);
    puts(wrong ? wrong : "ok");
    return wrong != NULL;
}
