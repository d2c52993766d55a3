/* Test of indices of entries that are given again while counts are deferred: random bursts, reports, removals and
 * additions of entries, one after the other. A software pipelined program of this file looks entries up in its prologue
 * and defers their counts in its epilogue. No index is given to a new entry while a burst in flight holds it, or a
 * count of it waits, and each entry has the counts of its own packets alone. Linked with the runtime; the report is the
 * worker's. Prints ok, or what was wrong.
 *
 * Usage: given_again SEED */
#include "runtime/workers.c"

#include <stdio.h>

#include "tables/common/indices.h"

enum { ENTRIES = 12, LIVE_MAX = 8, BURST = 100, STEPS = 200000, BYTES = 64 };

struct entry {
    bool live;
    uint64_t packets;       /* that were looked up since it was added */
    struct macs_count base; /* what the counter held then */
};

struct burst {
    unsigned count;
    uint32_t indices[BURST]; /* of the entries that its lookups have found */
};

static struct macs_count cells[ENTRIES];
static struct entry entries[ENTRIES]; /* by index */
static struct macs_indices indices;
static struct macs_switch sw; /* much of it is not used */
static struct macs_thread *thread;
static struct macs_port port;
static uint32_t live;
static uint64_t given_again;

static _Noreturn void fail(const char *wrong, uint32_t index) {
    printf("%s: index %u\n", wrong, index);
    exit(1);
}

/* The index of some entry. */
static uint32_t any_entry(void) {
    uint32_t index = (uint32_t)rand() % ENTRIES;
    while (!entries[index].live)
        index = (index + 1) % ENTRIES;
    return index;
}

/* --- the writer -----------------------------------------------------------------------------------------------------
 */

static void remove_one(void) {
    if (!live || macs_qsbr_reserve(sw.qsbr, 1))
        return;
    const uint32_t index = any_entry();
    entries[index].live = false;
    live--;
    macs_indices_give_later(&indices, sw.qsbr, index);
}

/* Nothing that the worker still does is of an entry that had the index before. */
static void check_that_it_is_free(uint32_t index) {
    for (unsigned i = 0; i < MACS_DEFERRED_COUNTS; i++)
        if (thread->worker.deferred.ring[i].count == &cells[index])
            fail("it is given again while a count of it waits", index);
    for (unsigned b = 0; b < 2; b++) {
        const struct burst *burst = thread->bursts[b].state;
        for (unsigned i = 0; i < burst->count; i++)
            if (burst->indices[i] == index)
                fail("it is given again while a burst in flight has it", index);
    }
    if (cells[index].packets - entries[index].base.packets != entries[index].packets)
        fail("the entry that had it had other counts than its packets'", index);
}

static void add_one(void) {
    uint32_t index;
    macs_qsbr_poll(sw.qsbr);
    if (live == LIVE_MAX || macs_indices_take(&indices, &index))
        return;
    if (entries[index].packets) {
        check_that_it_is_free(index);
        given_again++;
    }
    entries[index] = (struct entry){.live = true, .base = cells[index]};
    live++;
}

/* While the worker is in a burst. */
static void write_meanwhile(void) {
    if (rand() % 4 == 0)
        remove_one();
    if (rand() % 4 == 0)
        add_one();
}

/* --- the worker -----------------------------------------------------------------------------------------------------
 */

static uint64_t look_up(struct macs_worker *worker, void *state, const odp_packet_t handles[], unsigned count) {
    struct burst *burst = state;
    (void)worker, (void)handles;
    burst->count = live ? count : 0;
    for (unsigned i = 0; i < burst->count; i++) {
        burst->indices[i] = any_entry();
        entries[burst->indices[i]].packets++;
    }
    write_meanwhile();
    return (uint64_t)count * BYTES;
}

static void count(struct macs_worker *worker, void *state, void *next) {
    const struct macs_counts counts = {cells, ENTRIES};
    struct burst *burst = state;
    (void)next;
    write_meanwhile();
    for (unsigned i = 0; i < burst->count; i++)
        macs_counts_defer_hit(&counts, worker, burst->indices[i], BYTES, true);
    burst->count = 0;
}

static const struct macs_program program = {
    .name = "counting", .prologue = look_up, .epilogue = count, .burst_bytes = sizeof(struct burst)};

static void receive_burst(void) {
    const odp_packet_t none[BURST] = {ODP_PACKET_INVALID};
    thread->datapath->burst(thread, &port, none, 1 + (unsigned)rand() % BURST);
}

static void step(void) {
    switch (rand() % 8) {
    case 0:
        macs_datapath_drain(thread);
        break;
    case 1:
    case 2:
        remove_one();
        break;
    case 3:
    case 4:
        add_one();
        break;
    default:
        receive_burst();
    }
    if (rand() % 4)
        report(thread);
}

int main(int argc, char **argv) {
    srand(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1);
    sw.program = &program;
    sw.options.worker_count = sw.options.parts.count = sw.options.parts.each[0] = 1;
    if (macs_qsbr_create(&sw.qsbr) || macs_indices_create(&indices, ENTRIES) || macs_worker_create(&thread, &sw, 0))
        return 1;
    thread->worker.sub_batch = 8;
    for (unsigned b = 0; b < 2; b++)
        memset(thread->bursts[b].state, 0, sizeof(struct burst));
    macs_qsbr_online(sw.qsbr, thread->reader);
    for (uint32_t i = 0; i < STEPS; i++)
        step();
    macs_datapath_drain(thread);
    for (uint32_t index = 0; index < ENTRIES; index++)
        if (entries[index].live)
            check_that_it_is_free(index);
    macs_worker_destroy(thread);
    macs_qsbr_destroy(sw.qsbr);
    macs_indices_destroy(&indices);
    printf(given_again > STEPS / 100 ? "ok\n" : "few were given again: %llu\n", (unsigned long long)given_again);
    return 0;
}
