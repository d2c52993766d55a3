/* Where the cycles of bare forwarding go: receive, send, and what of them is allocating and freeing packets.
 *
 * Usage: phases SOURCE SINK BUFFERS LENGTH, as loop has them. Contests "receive", "send": the calls of ODP; "alloc",
 * "free": the calls of the pool within them, which the linker leads here (--wrap). NUMBER: frames in a burst. Each is
 * the same loop with the cycles of its phase counted, less what reading the counter takes. A phase is measured by
 * itself: nothing of it overlaps with what is before and after it, as it does in a loop that is left alone.
 */
#include <odp_api.h>

#include "ports.h"
#include "probe.h"

enum { BURST_MAX = 256, ROUNDS = 64 };

struct macs_odp_pool;
struct macs_odp_event;

enum phase { RECEIVE, SEND, ALLOC, FREE };

static struct ports ports;
static enum phase counted;
static uint64_t spent, begun, reading;

/* What was begun before is done, what comes after has not begun. */
static inline uint64_t now(void) {
#ifdef __x86_64__
    _mm_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
    return probe_cycles();
}

static inline void begin(enum phase phase) {
    if (counted == phase)
        begun = now();
}

static inline void end(enum phase phase) {
    if (counted != phase)
        return;
    uint64_t took = now() - begun;
    spent += took > reading ? took - reading : 0;
}

uint32_t __real_macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num);
uint32_t __wrap_macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num);
void __real_macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num);
void __wrap_macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num);

uint32_t __wrap_macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num) {
    begin(ALLOC);
    uint32_t taken = __real_macs_odp_pool_take(pool, event, num);
    end(ALLOC);
    return taken;
}

void __wrap_macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num) {
    begin(FREE);
    __real_macs_odp_pool_put(pool, event, num);
    end(FREE);
}

static uint64_t forward(enum phase phase, uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint64_t through = 0;
    int wanted = burst && burst <= BURST_MAX ? (int)burst : 32;
    counted = phase;
    probe_spent = &spent;
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin(RECEIVE);
        int received = odp_pktin_recv(ports.input, packets, wanted);
        end(RECEIVE);
        begin(SEND);
        int sent = received > 0 ? odp_pktout_send(ports.output, packets, received) : 0;
        end(SEND);
        through += received > 0 ? (uint64_t)received : 0;
        if (sent >= 0 && sent < received)
            odp_packet_free_multi(packets + sent, received - sent);
    }
    return through;
}

static uint64_t receiving(uint64_t burst) {
    return forward(RECEIVE, burst);
}

static uint64_t sending(uint64_t burst) {
    return forward(SEND, burst);
}

static uint64_t allocating(uint64_t burst) {
    return forward(ALLOC, burst);
}

static uint64_t freeing(uint64_t burst) {
    return forward(FREE, burst);
}

/* The cycles between two readings of the counter with nothing in between. */
static uint64_t reading_takes(void) {
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t first = now(), took = now() - first;
        least = took < least ? took : least;
    }
    return least;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {
        {"receive", receiving}, {"send", sending}, {"alloc", allocating}, {"free", freeing}};
    if (argc < 5 || ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))) {
        fprintf(stderr, "cannot forward from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    reading = reading_takes();
    return probe_serve(probes, sizeof(probes) / sizeof(probes[0]));
}
