/* Ports that come and go: in which order a port is opened, known to workers, stopped and closed, what is left of one
 * that cannot be, and what is counted of one that has gone. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "happened.h"
#include "runtime/capture.h"
#include "runtime/files.h"
#include "runtime/parts.h"
#include "runtime/ports.h"
#include "runtime/queues.h"
#include "runtime/stats.h"
#include "runtime/steering.h"
#include "runtime/worker.h"

static struct macs_thread threads[2];
static struct macs_thread *workers[] = {&threads[0], &threads[1]};
static struct macs_ports_gone gone;
static struct macs_queues *const queues = (struct macs_queues *)workers;
static struct macs_capture *const captures = (struct macs_capture *)workers;
static struct macs_switch sw = {.options = {.worker_count = 2}, .gone = &gone};

/* --- what stands around: each part may fail -------------------------------------------------------------------------
 */

static const char *fails = ""; /* the word of what does */
static unsigned left;          /* packets that a port has when it is closed */

static int done(const char *what, unsigned slot) {
    happens("%s%u", what, slot);
    return strcmp(fails, what) ? 0 : -EACCES;
}

static unsigned slot_of(const struct macs_port *port) {
    return (unsigned)(port - sw.ports);
}

int macs_port_open(struct macs_port *port, const struct macs_port_option *option, odp_pool_t pool, unsigned count,
                   struct macs_log *log) {
    (void)pool, (void)log;
    assert(count == 2);
    port->name = option->name;
    port->number = option->number;
    port->ctl = !strcmp(option->name, "ctl:");
    port->input_count = port->ctl ? 0 : 1;
    return done("open", slot_of(port));
}

int macs_port_start(struct macs_port *port, struct macs_log *log) {
    (void)log;
    return done("start", slot_of(port));
}

void macs_port_stop(struct macs_port *port) {
    happens("stop%u", slot_of(port));
}

uint64_t macs_port_close(struct macs_port *port) {
    happens("close%u", slot_of(port));
    return left;
}

int macs_steering_add(struct macs_switch *of, struct macs_port *port) {
    (void)of;
    return done("steer", slot_of(port));
}

int macs_capture_open(struct macs_capture *capture, unsigned slot, unsigned number, const char *name) {
    assert(capture == captures && number == sw.ports[slot].number && !strcmp(name, sw.ports[slot].name));
    return done("files", slot);
}

int macs_capture_begin(struct macs_capture *capture, unsigned slot) {
    assert(capture == captures);
    return done("begin", slot);
}

void macs_capture_close(struct macs_capture *capture, unsigned slot) {
    assert(capture == captures);
    happens("forget%u", slot);
}

bool macs_files_apart(void) {
    happens("apart");
    return strcmp(fails, "apart") != 0;
}

void macs_stats_begin_port(struct macs_switch *of, unsigned slot) {
    (void)of;
    happens("count%u", slot);
}

void macs_stats_end_port(struct macs_switch *of, unsigned slot) {
    (void)of;
    happens("counted%u", slot);
}

void macs_queues_begin_port(struct macs_queues *of, unsigned slot) {
    assert(of == queues);
    happens("queue%u", slot);
}

unsigned macs_first_receiver(const struct macs_switch *of) {
    (void)of;
    return 0;
}

void macs_log_write(struct macs_log *log, const char *format, ...) {
    (void)log, (void)format;
    happens("log");
}

/* --- the workers ----------------------------------------------------------------------------------------------------
 */

static uint64_t clock_ns;
static uint16_t of_interest; /* a port's number */
static bool hang;

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

/* One worker after the other looks at the ports: whether that one is coming or leaving, and frames may be sent to it.
 */
void odp_time_wait_ns(uint64_t ns) {
    (void)ns;
    clock_ns += 1000000;
    for (unsigned i = 0; i < 2 && !hang; i++) {
        if (threads[i].ports_version == sw.ports_version)
            continue;
        threads[i].ports_version = sw.ports_version;
        unsigned slot = 0;
        while (slot < MACS_PORTS_MAX && !(sw.ports[slot].name && sw.ports[slot].number == of_interest))
            slot++;
        assert(slot < MACS_PORTS_MAX);
        happens("%u%s%s%s", i, sw.ports[slot].comes ? "comes" : "", sw.ports[slot].leaves ? "leaves" : "",
                sw.slot_of[of_interest] == slot + 1 ? "sends" : "");
        assert(!sw.slot_of[of_interest] || sw.slot_of[of_interest] == slot + 1);
        return;
    }
}

static enum macs_ports_status add(uint16_t number, const char *name) {
    of_interest = number;
    return macs_ports_add(&sw, number, name);
}

static enum macs_ports_status take_away(uint16_t number) {
    of_interest = number;
    return macs_ports_remove(&sw, number);
}

static bool is_empty(unsigned slot) {
    static const struct macs_port none;
    return !memcmp(&sw.ports[slot], &none, sizeof(none));
}

/* --- tests ----------------------------------------------------------------------------------------------------------
 */

/* Before there are workers. What is down when traffic begins does not start with the others. */
static void check_before(void) {
    assert(add(5, "a") == MACS_PORTS_DONE && was("open0 steer0 count0"));
    assert(sw.port_count == 1 && sw.slot_of[5] == 1 && !sw.has_ctl && strcmp(sw.ports[0].own_name, "a") == 0);
    sw.capture = captures;
    sw.queues = queues;
    assert(add(65535, "ctl:") == MACS_PORTS_DONE && was("open1 steer1 files1 count1 queue1"));
    assert(sw.port_count == 2 && sw.slot_of[65535] == 2 && sw.has_ctl);
    assert(macs_ports_down(&sw, 5) == MACS_PORTS_DONE && was(""));
    for (unsigned slot = 0; slot < 2; slot++)
        assert(macs_ports_start(&sw, slot) == 0);
    assert(was("begin0 begin1 start1"));
    fails = "begin";
    assert(macs_ports_start(&sw, 1) == -EACCES && was("begin1 log"));
    fails = "start";
    assert(macs_ports_start(&sw, 1) == -EACCES && was("begin1 start1"));
    fails = "";
    assert(take_away(65535) == MACS_PORTS_DONE && was("counted1 close1 forget1") && is_empty(1));
    sw.workers = workers;
    sw.worker_count = 2;
    sw.running = true;
}

static void check_coming(void) {
    of_interest = 5;
    assert(macs_ports_up(&sw, 5) == MACS_PORTS_DONE && was("start0 0comes 1comes 0sends 1sends"));
    assert(macs_ports_up(&sw, 5) == MACS_PORTS_DONE && was(""));
    assert(macs_ports_up(&sw, 6) == MACS_PORTS_NONE && macs_ports_down(&sw, 6) == MACS_PORTS_NONE);
    assert(take_away(6) == MACS_PORTS_NONE && was(""));
    assert(add(5, "b") == MACS_PORTS_THERE && was(""));
    assert(add(0, "b") == MACS_PORTS_DONE);
    assert(was("open1 steer1 files1 apart begin1 start1 count1 queue1 0comes 1comes 0sends 1sends"));
    assert(sw.slot_of[0] == 2 && sw.port_count == 2);
}

/* Nothing is left of a port that cannot be added, and another one may come in its place. */
static void check_failures(void) {
    static const struct {
        const char *what, *happens;
    } failures[] = {
        {"open", "open2"},
        {"steer", "open2 steer2 forget2 close2"},
        {"files", "open2 steer2 files2 log forget2 close2"},
        {"apart", "open2 steer2 files2 apart forget2 close2"},
        {"begin", "open2 steer2 files2 apart begin2 log forget2 close2"},
        {"start", "open2 steer2 files2 apart begin2 start2 forget2 close2"},
    };
    for (unsigned i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
        fails = failures[i].what;
        assert(add(7, "c") == MACS_PORTS_NOT_OPENED && was(failures[i].happens));
        assert(is_empty(2) && sw.port_count == 2 && !sw.slot_of[7] && gone.missed == 0);
    }
    fails = "";
}

static void check_going(void) {
    of_interest = 5;
    for (unsigned times = 0; times < 2; times++)
        assert(macs_ports_down(&sw, 5) == MACS_PORTS_DONE && was("0leaves 1leaves stop0"));
    fails = "start";
    assert(macs_ports_up(&sw, 5) == MACS_PORTS_NOT_OPENED && was("start0"));
    assert(sw.ports[0].leaves && !sw.slot_of[5]);
    fails = "";
    assert(macs_ports_up(&sw, 5) == MACS_PORTS_DONE && was("start0 0comes 1comes 0sends 1sends"));
    left = 40;
    gone.missed = 2;
    assert(take_away(5) == MACS_PORTS_DONE && was("0leaves 1leaves stop0 counted0 close0 forget0"));
    assert(is_empty(0) && !sw.slot_of[5] && sw.port_count == 2 && gone.missed == 42);
    sw.capture = NULL;
    assert(take_away(0) == MACS_PORTS_DONE && was("0leaves 1leaves stop1 counted1 close1") && gone.missed == 82);
    assert(add(9, "d") == MACS_PORTS_DONE); /* the first place that is free */
    assert(was("open0 steer0 apart start0 count0 queue0 0comes 1comes 0sends 1sends"));
}

/* A worker that hangs may still use the port: it goes when it is told so once more. */
static void check_hanging(void) {
    hang = true;
    const uint64_t begin_ns = clock_ns;
    assert(take_away(9) == MACS_PORTS_BUSY && was("") && !is_empty(0) && !sw.slot_of[9]);
    assert(clock_ns - begin_ns >= MACS_PORTS_WAIT_NS);
    assert(macs_ports_down(&sw, 9) == MACS_PORTS_BUSY && was(""));
    assert(add(8, "e") == MACS_PORTS_BUSY && was("open1 steer1 apart start1 count1 queue1") && sw.slot_of[8] == 2);
    hang = false;
    assert(take_away(9) == MACS_PORTS_DONE && was("0leaves 1leaves stop0 counted0 close0"));
    assert(take_away(8) == MACS_PORTS_DONE && was("0leaves 1leaves stop1 counted1 close1"));
}

static void check_many(void) {
    for (uint16_t number = 0; number < MACS_PORTS_MAX; number++)
        assert(add(number, "f") == MACS_PORTS_DONE && sw.slot_of[number] == number + 1);
    happened[0] = 0;
    assert(add(100, "g") == MACS_PORTS_FULL && add(63, "g") == MACS_PORTS_THERE && was(""));
    for (uint16_t number = 0; number < MACS_PORTS_MAX; number++)
        assert(take_away(number) == MACS_PORTS_DONE && is_empty(number) && !sw.slot_of[number]);
}

int main(void) {
    check_before();
    check_coming();
    check_failures();
    check_going();
    check_hanging();
    check_many();
    puts("ok");
    return 0;
}
