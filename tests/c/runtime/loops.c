/* Workers in long loops: one that has been in the same burst for a second is stuck, which is told once, as long as it
 * lasts; a later burst is another one. At the end each is taken out of its loop, and of those of its later packets. */
#include "runtime/loops.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/worker.h"

enum { MS = 1000000, ROUNDS = 65536 };

static uint64_t clock_ns = 5;
static char told[200]; /* the last line of the log */
static unsigned lines;

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

void macs_log_write(struct macs_log *log, const char *format, ...) {
    va_list arguments;
    (void)log;
    va_start(arguments, format);
    vsnprintf(told, sizeof(told), format, arguments);
    va_end(arguments);
    lines++;
}

static struct macs_thread first, second;
static struct macs_thread *workers[] = {&first, &second};
static struct macs_switch sw = {.workers = workers, .worker_count = 2};

/* The second worker goes through its loop for so long, and is looked at. */
static void go_on(unsigned ms, const char *place) {
    for (unsigned passed = 0; passed < ms; passed += 10) {
        if (macs_loop_ends(&second.worker, place))
            abort();
        clock_ns += 10 * MS;
        macs_loops_watch(&sw);
    }
}

static const struct macs_loop *stuck(void) {
    unsigned worker = 7;
    const struct macs_loop *loop = macs_loops_stuck(&sw, &worker);
    assert(!loop || (worker == 1 && loop == &second.loop));
    return loop;
}

static void check_bursts(void) {
    go_on(1000, "a:1"); /* asked and seen 50 ms later at the earliest */
    assert(!stuck() && !lines);
    go_on(200, "a:1");
    assert(stuck() && !strcmp(stuck()->stuck_at, "a:1") && lines == 1);
    assert(!strcmp(told, "warning: worker 1 has been in the same burst for 1.0 s, in a loop at a:1"));
    const uint64_t before = stuck()->stuck_ns;
    assert(before >= 1000 * MS && before < 1200 * MS);
    go_on(500, "b:2");
    assert(lines == 1 && stuck()->stuck_ns >= before + 400 * MS && !strcmp(stuck()->stuck_at, "b:2"));
    macs_stats_add(&second.stats.bursts, 1); /* it has left its loops */
    go_on(100, "c:3");
    assert(!stuck() && !strcmp(second.loop.stuck_at, "b:2") && second.loop.stuck_ns >= before + 400 * MS);
    go_on(800, "c:3");
    assert(!stuck());
    go_on(400, "c:3");
    assert(stuck() && lines == 2 && strstr(told, "for 1.0 s, in a loop at c:3"));
    for (unsigned i = 0; i < 400; i++) { /* a burst each time: none lasts */
        macs_stats_add(&second.stats.bursts, 1);
        go_on(10, "d:4");
        assert(i < 10 || !stuck());
    }
    assert(lines == 2 && !strcmp(second.loop.stuck_at, "c:3"));
    go_on(100, "e:5");
    clock_ns += 5000 * (uint64_t)MS; /* an answer of a burst before says nothing of this one */
    macs_stats_add(&second.stats.bursts, 1);
    macs_loops_watch(&sw);
    clock_ns += 100 * MS;
    macs_loops_watch(&sw);
    assert(!stuck() && lines == 2);
    assert(!first.loop.stuck_at && !first.loop.since_ns);
}

static void check_requests(void) {
    second.worker.loop_request = MACS_GO_ON;
    clock_ns += 100 * MS;
    macs_loops_watch(&sw);
    assert(second.worker.loop_request == MACS_TELL && first.worker.loop_request == MACS_TELL);
    assert(!macs_loop_ends(&second.worker, "f:6") && second.worker.loop_request == MACS_GO_ON);
    second.loop.told = NULL;
    assert(!macs_loop_ends(&second.worker, "f:6") && !second.loop.told); /* nobody has asked again */
    clock_ns += 49 * MS;
    macs_loops_watch(&sw);
    assert(second.worker.loop_request == MACS_GO_ON);
    clock_ns += 1 * MS;
    macs_loops_watch(&sw);
    assert(second.worker.loop_request == MACS_TELL);
}

static void check_end(void) {
    lines = 0;
    macs_loops_end(&sw);
    clock_ns += 100 * MS;
    macs_loops_watch(&sw);
    assert(first.worker.loop_request == MACS_END && second.worker.loop_request == MACS_END);
    for (unsigned packet = 0; packet < 3; packet++) {
        for (unsigned i = 1; i < ROUNDS; i++)
            assert(!macs_loop_ends(&second.worker, "g:7"));
        assert(macs_loop_ends(&second.worker, "g:7"));
    }
    assert(lines == 0);
    macs_loops_ended(&sw);
    assert(lines == 1 && !strcmp(told, "warning: worker 1 was in a loop at g:7 when the switch ended") && !stuck());
    second.worker.loop_request = MACS_TELL; /* one that nobody has taken out of it */
    macs_loops_ended(&sw);
    assert(lines == 1);
}

int main(void) {
    check_bursts();
    check_requests();
    check_end();
    puts("ok");
    return 0;
}
