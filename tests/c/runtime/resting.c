/* Workers rest while changes are made that packets meet as one: the control thread waits for all of them, and for what
 * the parts of a program still have, for a second; and a worker goes on as soon as it may, or has something to do. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <macs/qsbr.h>

#include "runtime/datapath.h"
#include "runtime/handover.h"
#include "runtime/parts.h"
#include "runtime/rest.h"

enum { WORKERS = 3, MS = 1000000 };

static uint64_t clock_ns;
static unsigned looks; /* at the clock */
static void (*at_look)(void);

uint64_t macs_odp_clock_ns(void) {
    looks++;
    clock_ns += 10 * MS;
    if (at_look)
        at_look();
    return clock_ns;
}

static struct macs_thread threads[WORKERS];
static struct macs_thread *workers[] = {&threads[0], &threads[1], &threads[2]};
static struct macs_switch sw = {.workers = workers, .worker_count = WORKERS};
static unsigned drained;

void macs_datapath_drain(struct macs_thread *thread) {
    assert(thread == &threads[0] && !threads[0].resting);
    drained++;
}

/* --- the control thread ---------------------------------------------------------------------------------------------
 */

static void all_rest(bool rest) {
    for (unsigned i = 0; i < WORKERS; i++)
        atomic_store(&threads[i].resting, rest);
}

/* The last one comes to its rest after a while. */
static void rest_at_last(void) {
    if (looks == 30)
        atomic_store(&threads[1].resting, true);
}

static void check_begin(void) {
    all_rest(true);
    assert(macs_rest_begin(&sw) == 0 && atomic_load(&sw.rest));
    macs_rest_end(&sw);
    assert(!atomic_load(&sw.rest));
    for (unsigned hanging = 0; hanging < WORKERS; hanging++) {
        all_rest(true);
        atomic_store(&threads[hanging].resting, false);
        const uint64_t begin_ns = clock_ns;
        assert(macs_rest_begin(&sw) == -EBUSY && !atomic_load(&sw.rest));
        assert(clock_ns - begin_ns > 1000 * MS && clock_ns - begin_ns < 1100 * MS);
    }
    all_rest(true);
    atomic_store(&threads[1].resting, false);
    looks = 0;
    at_look = rest_at_last;
    assert(macs_rest_begin(&sw) == 0 && atomic_load(&sw.rest) && looks >= 30);
    at_look = NULL;
    macs_rest_end(&sw);
}

/* Workers 2, 1 and 0 have the first, the second and the last part. */
static void check_parts(void) {
    struct macs_packet *packet = (struct macs_packet *)workers;
    sw.options.parts = (struct macs_part_workers){.count = WORKERS, .each = {1, 1, 1}};
    sw.options.worker_count = WORKERS;
    for (unsigned i = 0; i < WORKERS; i++) {
        threads[i].sw = &sw;
        threads[i].worker.index = i;
        threads[i].part = macs_part_of(&sw.options, i);
        assert(threads[i].part == WORKERS - 1 - i);
        assert(!i || (threads[i].to_next = macs_handover_create()));
    }
    all_rest(true);
    for (unsigned from = 1; from < WORKERS; from++) { /* what is handed over has not been received by the next one */
        assert(macs_handover_put(threads[from].to_next, &packet, 1) == 1);
        assert(macs_parts_has_packets(&threads[from - 1]) && !macs_parts_has_packets(&threads[2]));
        assert(macs_rest_begin(&sw) == -EBUSY && !atomic_load(&sw.rest));
        assert(macs_handover_take(threads[from].to_next, &packet, 8) == 1);
        assert(macs_rest_begin(&sw) == 0);
        macs_rest_end(&sw);
    }
}

/* Five workers of the first part hand over to two, and these to one: to the same one always. */
static void check_dealt(void) {
    enum { ALL = 8 };
    static struct macs_thread dealt[ALL];
    static struct macs_thread *all[ALL];
    static const unsigned parts[ALL] = {2, 1, 1, 0, 0, 0, 0, 0};
    static const char *const before[] = {"12", "357", "46"};
    static struct macs_switch of = {.workers = all, .worker_count = ALL};
    of.options.worker_count = ALL;
    of.options.parts = (struct macs_part_workers){.count = 3, .each = {5, 2, 1}};
    for (unsigned i = 0; i < ALL; i++) {
        all[i] = &dealt[i];
        dealt[i].sw = &of;
        dealt[i].worker.index = i;
        dealt[i].part = macs_part_of(&of.options, i);
        assert(dealt[i].part == parts[i]);
        assert(!i || (dealt[i].to_next = macs_handover_create()));
    }
    assert(macs_first_receiver(&of) == 3);
    atomic_store(&of.cloned, true);
    assert(macs_first_receiver(&of) == 0);
    for (unsigned worker = 0; worker < 3; worker++) {
        unsigned at = 0, found = 0;
        for (const struct macs_thread *one; (one = macs_parts_next_before(&dealt[worker], &at)); found++)
            assert(one == &dealt[before[worker][found] - '0']);
        assert(!before[worker][found] && !macs_parts_ended(&dealt[worker]));
        for (const char *one = before[worker]; *one; one++) {
            assert(!macs_parts_ended(&dealt[worker]));
            if (one == before[worker]) /* one that did not start brings nothing */
                atomic_store(&dealt[*one - '0'].status, -1);
            else
                macs_handover_close(dealt[*one - '0'].to_next);
        }
        assert(macs_parts_ended(&dealt[worker]) && !macs_parts_has_packets(&dealt[worker]));
    }
    for (unsigned i = 1; i < ALL; i++)
        free(dealt[i].to_next);
}

/* --- a worker -------------------------------------------------------------------------------------------------------
 */

static void *rest(void *argument) {
    macs_rest(argument);
    return NULL;
}

static void await_rest(bool wanted) {
    while (atomic_load(&threads[0].resting) != wanted)
        ;
}

/* It rests as long as it is to; behind another part, as long as nothing comes. */
static void check_worker(void) {
    pthread_t thread;
    struct macs_packet *packet = (struct macs_packet *)workers;
    assert(macs_qsbr_create(&sw.qsbr) == 0 && macs_qsbr_register(sw.qsbr, &threads[0].reader) == 0);
    macs_qsbr_online(sw.qsbr, threads[0].reader);
    atomic_store(&threads[0].resting, false);
    macs_rest_if_asked(&threads[0]);
    assert(!drained);
    for (unsigned way = 0; way < 3; way++) {
        atomic_store(&threads[0].resting, false);
        atomic_store(&sw.rest, true);
        atomic_store(&sw.stopping, false);
        assert(pthread_create(&thread, NULL, rest, &threads[0]) == 0);
        await_rest(true);
        if (way == 0)
            macs_rest_end(&sw);
        else if (way == 1)
            assert(macs_handover_put(threads[1].to_next, &packet, 1) == 1);
        else
            atomic_store(&sw.stopping, true); /* the switch ends */
        assert(pthread_join(thread, NULL) == 0 && !atomic_load(&threads[0].resting) && drained == way + 1);
        assert(way != 1 || macs_handover_take(threads[1].to_next, &packet, 8) == 1);
    }
    macs_qsbr_offline(threads[0].reader);
    macs_qsbr_unregister(threads[0].reader);
    macs_qsbr_destroy(sw.qsbr);
}

int main(void) {
    check_begin();
    check_parts();
    check_dealt();
    check_worker();
    free(threads[1].to_next);
    free(threads[2].to_next);
    puts("ok");
    return 0;
}
