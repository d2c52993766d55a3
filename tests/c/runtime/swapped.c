/* One program after another: which one has room in a switch, what is left of one that has not, and what stays of the
 * one before. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "happened.h"
#include "runtime/queues.h"
#include "runtime/replace.h"
#include "runtime/switch_program.h"
#include "runtime/worker.h"
#include "runtime/worker_threads.h"

enum { STATE = 300, SEGMENT = 2048, HEADROOM = 64, TABLES = 3 };

static void note(const char *word) {
    happens("%s", word);
}

/* --- what stands around: each part may fail -------------------------------------------------------------------------
 */

static const char *fails = ""; /* the word of what does */
static struct macs_switch sw;
static struct macs_thread threads[2];
static struct macs_thread *workers[] = {&threads[0], &threads[1]};

static int done(const char *what) {
    note(what);
    return strcmp(fails, what) ? 0 : -ENOMEM;
}

int macs_switch_program_create(struct macs_switch *of, const struct macs_program *program, unsigned *table_count) {
    assert(of == &sw);
    *table_count = strcmp(fails, "program") ? program->table_count : 1; /* so many were made */
    return done("program");
}

void macs_switch_program_destroy(const struct macs_program *program, unsigned table_count) {
    char word[32];
    snprintf(word, sizeof(word), "%s-%u", program->name, table_count);
    note(word);
}

int macs_queues_create(struct macs_queues **created, unsigned priorities) {
    assert(priorities == 4);
    if (strcmp(fails, "queues"))
        *created = (struct macs_queues *)workers;
    return done("queues");
}

void macs_digest_queue_fini(struct macs_digest_queue *queue) {
    assert(queue == &sw.digests);
    note("fini");
}

int macs_digest_queue_init(struct macs_digest_queue *queue, const struct macs_program *program,
                           struct macs_bell *bell) {
    assert(queue == &sw.digests && program == sw.program && bell == &sw.bell);
    atomic_init(&queue->sent, 0);
    atomic_init(&queue->lost, 0);
    return done("digests");
}

void macs_workers_join(struct macs_switch *of) {
    of->running = false;
    of->stopping = true;
    note("join");
}

void macs_workers_destroy(struct macs_switch *of) {
    of->worker_count = 0;
    memset(threads, 0, sizeof(threads));
    note("destroy");
}

int macs_workers_create(struct macs_switch *of) {
    of->worker_count = strcmp(fails, "workers") ? 2 : 1;
    return done("workers");
}

int macs_workers_start(struct macs_switch *of) {
    assert(!of->stopping);
    return done("start");
}

/* --- tests ----------------------------------------------------------------------------------------------------------
 */

static const struct macs_program first = {.name = "first", .state_bytes = STATE, .table_count = TABLES};

static int prepare(struct macs_program program) {
    program.name = "next";
    program.table_count = 2;
    return macs_switch_prepare(&sw, &program);
}

static void nothing(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker, (void)packets, (void)count;
}

/* What packets have room for is enough for the next program, or it is refused before anything is made. */
static void check_room(void) {
    static const struct macs_program parts = {.name = "parts", .ingress_back = {nothing}};
    assert(prepare((struct macs_program){.state_bytes = STATE, .grow_bytes = HEADROOM, .parse_bytes = SEGMENT}) == 0);
    assert(was("program"));
    assert(prepare((struct macs_program){.state_bytes = STATE + 1}) == -E2BIG);
    assert(prepare((struct macs_program){.grow_bytes = HEADROOM + 1}) == -E2BIG);
    assert(prepare((struct macs_program){.parse_bytes = SEGMENT + 1}) == -E2BIG);
    assert(prepare((struct macs_program){.ingress_back = {nothing}}) == -ENOTSUP);
    sw.program = &parts;
    assert(prepare((struct macs_program){.state_bytes = 1}) == -ENOTSUP);
    sw.program = &first;
    sw.steered = true;
    assert(prepare((struct macs_program){.state_bytes = 1}) == -ENOTSUP);
    sw.steered = false;
    assert(was(""));
    sw.options.max_frame = SEGMENT; /* no frame has more than one segment */
    assert(prepare((struct macs_program){.parse_bytes = SEGMENT + 1}) == 0 && was("program"));
    sw.options.max_frame = SEGMENT + 1;
    fails = "program";
    assert(prepare((struct macs_program){.state_bytes = 1}) == -ENOMEM && was("program next-1"));
    fails = "";
}

/* There are queues from the first program on that has any. */
static void check_queues(void) {
    fails = "queues";
    assert(prepare((struct macs_program){.waited_at = 8}) == -ENOMEM && was("queues") && !sw.queues);
    fails = "";
    assert(prepare((struct macs_program){.waited_at = 8}) == 0 && was("queues program") && sw.queues);
    assert(prepare((struct macs_program){.waited_at = 8}) == 0 && was("program"));
}

static void check_swap(void) {
    static const struct macs_program second = {.name = "second", .table_count = 7};
    for (unsigned i = 0; i < 2; i++) {
        macs_stats_add(&threads[i].stats.copies, 10 + i);
        macs_stats_add(&threads[i].stats.ports[i].rx_packets, 20 + i);
        macs_stats_add(&threads[i].stats.last_ns, 30 + i);
    }
    atomic_store(&sw.digests.sent, 4);
    atomic_store(&sw.digests.lost, 5);
    assert(macs_switch_swap(&sw, &second) == 0);
    assert(was("join destroy first-3 fini digests workers start"));
    assert(sw.program == &second && sw.table_count == 7 && sw.swaps == 1 && !sw.stopping && sw.worker_count == 2);
    assert(sw.digests.sent == 4 && sw.digests.lost == 5);
    for (unsigned i = 0; i < 2; i++) {
        assert(threads[i].stats.copies == 10 + i && threads[i].stats.ports[i].rx_packets == 20 + i);
        assert(threads[i].stats.last_ns == 30 + i && threads[i].stats.ports[1 - i].rx_packets == 0);
    }
    fails = "start";
    assert(macs_switch_swap(&sw, &first) == -ENOMEM && was("join destroy second-7 fini digests workers start"));
    assert(sw.swaps == 2 && threads[1].stats.copies == 11);
    fails = "workers";
    assert(macs_switch_swap(&sw, &second) == -ENOMEM && was("join destroy first-3 fini digests workers"));
    fails = "digests";
    assert(macs_switch_swap(&sw, &first) == -ENOMEM && was("join destroy second-7 fini digests"));
    assert(sw.digests.sent == 4 && sw.digests.lost == 5 && sw.program == &first && sw.table_count == TABLES);
}

int main(void) {
    sw.program = &first;
    sw.table_count = TABLES;
    sw.workers = workers;
    sw.worker_count = 2;
    sw.room = (struct macs_room){STATE, SEGMENT, HEADROOM};
    sw.options.max_frame = SEGMENT + 1;
    sw.options.priorities = 4;
    check_room();
    check_queues();
    check_swap();
    puts("ok");
    return 0;
}
