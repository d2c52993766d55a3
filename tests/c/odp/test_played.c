/* Parts of this implementation on a kernel that the test plays: transmit rings of AF_XDP that make headway or none,
 * what goes through its rings, frames of AF_XDP with tags, what an interface has dropped, a tap port that is started
 * again or too slow, and promiscuous mode by an interface's flag.
 *
 * Usage: test_played rings|chunks|frames|dropped|tap|flag. Linked with --wrap=sendto,fopen,ioctl,setsockopt. Exit code
 * 77: there is no tap. */
#include "check.h"
#include "told.h"

#include "pktio/pktio_af_xdp.c"
#include "xdp/xsk_memory.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t __real_sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length);
ssize_t __wrap_sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length);
FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
int __real_ioctl(int fd, unsigned long what, void *argument);
int __wrap_ioctl(int fd, unsigned long what, ...);
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size);

/* --- rings ----------------------------------------------------------------------------------------------------------
 */

enum { RING = 8, NO_FD = -1, NEVER = 1 << 30, KICKS_OF_NO_HEADWAY = 4, LAST_TRIES = 1000 };

static uint32_t produced, consumed, flags, completed_by_kernel, completed_by_us;
static struct xdp_desc descriptions[RING];
static uint64_t completions[RING];
static int kicks, headway_each, error_of_kick; /* the kernel takes a frame by each of so many kicks */

ssize_t __wrap_sendto(int fd, const void *data, size_t size, int options, const struct sockaddr *to, socklen_t length) {
    if (fd != NO_FD)
        return __real_sendto(fd, data, size, options, to, length);
    CHECK(data == NULL && size == 0 && options == MSG_DONTWAIT);
    if (++kicks % headway_each == 0)
        consumed++;
    errno = error_of_kick;
    return error_of_kick != 0 ? -1 : 0;
}

/* A socket whose transmit ring holds so many frames, which is what it has sent since it was opened. */
static struct macs_odp_xsk *ring_of(uint32_t frames, int each, int error) {
    static struct macs_odp_xsk xsk;
    produced = frames;
    consumed = completed_by_kernel = completed_by_us = 0;
    flags = XDP_RING_NEED_WAKEUP;
    kicks = 0;
    headway_each = each;
    error_of_kick = error;
    xsk = (struct macs_odp_xsk){
        .fd = NO_FD,
        .tx = {&produced, &consumed, &flags, descriptions, .size = RING, .ours = frames},
        .completion = {&completed_by_kernel, &completed_by_us, NULL, completions, .size = RING},
    };
    return &xsk;
}

static void check_kick(struct macs_odp_xsk *xsk, int expected_kicks, int expected, uint64_t lost) {
    uint64_t dropped = 0;
    CHECK(macs_odp_xsk_kick(xsk, &dropped) == expected && dropped == lost);
    CHECK(kicks == expected_kicks);
}

/* How long rings are for so many packets, ports that use the pool, and sockets of this one. */
static void ring_sizes(void) {
    static const struct {
        uint32_t packets, users, sockets, size;
    } rows[] = {{1u << 20, 1, 1, 2048}, {8192, 1, 1, 2048},  {8191, 1, 1, 1024}, {8192, 1, 2, 1024}, {8192, 2, 1, 1024},
                {8192, 2, 2, 512},      {16384, 2, 1, 2048}, {512, 1, 1, 128},   {511, 1, 1, 64},    {10, 3, 7, 64}};
    odp_log_thread_fn_set(keep_told);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct macs_odp_pool pool = {.num = rows[i].packets, .users = rows[i].users};
        char expected[256] = "";
        const uint32_t all = rows[i].users * rows[i].sockets;
        CHECK(macs_odp_xsk_ring_size(&pool, rows[i].sockets) == rows[i].size);
        if (rows[i].size < 2048)
            snprintf(expected, sizeof(expected),
                     "af_xdp: a ring holds %u packets, as the pool of %u is for %u sockets: bursts that are longer are "
                     "lost; a pool of %u gives rings of 2048\n",
                     rows[i].size, rows[i].packets, all, 8192 * all);
        CHECK(has_told(expected));
    }
    odp_log_thread_fn_set(NULL);
    /* a frame of several chunks, where the kernel takes such */
    CHECK(macs_odp_xsk_maxlen(&(struct macs_odp_xsk){.chunk = 3840, .parts = true}) == 17 * 3840);
    CHECK(macs_odp_xsk_maxlen(&(struct macs_odp_xsk){.chunk = 3840}) == 3840);
}

static void rings(void) {
    ring_sizes();
    check_kick(ring_of(3, NEVER, 0), KICKS_OF_NO_HEADWAY, 0, 0);
    check_kick(ring_of(3, NEVER, EAGAIN), KICKS_OF_NO_HEADWAY, 0, 0);
    check_kick(ring_of(5, 3, EAGAIN), 15, 0, 0); /* slow, but each frame in time */
    check_kick(ring_of(5, KICKS_OF_NO_HEADWAY + 1, 0), KICKS_OF_NO_HEADWAY, 0, 0);
    check_kick(ring_of(2, 1, EBUSY), 2, 0, 2); /* taken, and lost */
    check_kick(ring_of(3, 1, ENETDOWN), 1, ENETDOWN, 0);
    check_kick(ring_of(0, NEVER, 0), 0, 0, 0);
    struct macs_odp_xsk *awake = ring_of(3, NEVER, 0);
    flags = 0;
    check_kick(awake, 0, 0, 0);
    struct macs_odp_xsk *zerocopy = ring_of(3, NEVER, EBUSY);
    zerocopy->zerocopy = true;
    check_kick(zerocopy, 1, 0, 0);

    /* At the end it is given up, too: what it still holds is told, a frame in two chunks as one. */
    struct macs_odp_xsk_unsent unsent = {0};
    struct macs_odp_xsk *stuck = ring_of(3, NEVER, EAGAIN);
    for (uint32_t i = 0; i < 3; i++)
        descriptions[i] = (struct xdp_desc){.len = 100 + i, .options = i == 1 ? XDP_PKT_CONTD : 0};
    macs_odp_xsk_finish(stuck, &unsent);
    CHECK(kicks == LAST_TRIES * KICKS_OF_NO_HEADWAY);
    CHECK(unsent.frames == 2 && unsent.octets == 303 && unsent.dropped == 0);
}

/* --- chunks ---------------------------------------------------------------------------------------------------------
 */

enum { ENTRIES_MAX = 256, PACKETS = 600, CHUNK = 100, LENGTH = 1000 };

/* A socket whose four rings the test serves, of a pool of its own. */
static struct {
    struct macs_odp_xsk xsk;
    uint32_t given[4], taken[4]; /* of the fill, receive, transmit and completion ring */
    uint32_t flags;
    uint32_t entries;
    uint64_t fill[ENTRIES_MAX], completion[ENTRIES_MAX];
    struct xdp_desc rx[ENTRIES_MAX], tx[ENTRIES_MAX];
} played;

static odp_pool_t pool_of(uint32_t packets) {
    odp_pool_param_t param;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = packets;
    param.pkt.len = param.pkt.seg_len = LENGTH;
    param.pkt.cache_size = 0;
    param.stats.bit.available = 1;
    odp_pool_t pool = odp_pool_create("chunks", &param);
    CHECK(pool != ODP_POOL_INVALID);
    return pool;
}

static uint64_t available(odp_pool_t pool) {
    odp_pool_stats_t stats = {.available = 0};
    CHECK(odp_pool_stats(pool, &stats) == 0);
    return stats.available;
}

static void play(odp_pool_t pool, uint32_t entries) {
    memset(&played, 0, sizeof(played));
    played.entries = entries;
    struct macs_odp_xsk_ring fill = {&played.given[0], &played.taken[0], &played.flags, played.fill, .size = entries};
    struct macs_odp_xsk_ring rx = {&played.given[1], &played.taken[1], &played.flags, played.rx, .size = entries};
    struct macs_odp_xsk_ring tx = {&played.given[2], &played.taken[2], &played.flags, played.tx, .size = entries};
    struct macs_odp_xsk_ring done = {&played.given[3], &played.taken[3], &played.flags, played.completion,
                                     .size = entries};
    played.xsk = (struct macs_odp_xsk){.fd = NO_FD,
                                       .pool = pool,
                                       .parts = true,
                                       .chunk = CHUNK,
                                       .distance = pool->before + pool->headroom - MACS_ODP_XSK_HEADROOM,
                                       .fill = fill,
                                       .rx = rx,
                                       .tx = tx,
                                       .completion = done,
                                       .rx_held = calloc(pool->num, 1),
                                       .tx_held = calloc(pool->num, 1)};
    CHECK(played.xsk.rx_held != NULL && played.xsk.tx_held != NULL);
}

static odp_packet_t numbered(odp_pool_t pool, uint8_t number, uint32_t length) {
    odp_packet_t packet = odp_packet_alloc(pool, length);
    CHECK(packet != ODP_PACKET_INVALID);
    for (uint32_t i = 0; i < length; i++)
        ((uint8_t *)odp_packet_data(packet))[i] = (uint8_t)(number + i);
    return packet;
}

static bool is_numbered(const uint8_t *data, uint8_t number, uint32_t from, uint32_t length) {
    for (uint32_t i = 0; i < length; i++)
        if (data[i] != (uint8_t)(number + from + i))
            return false;
    return true;
}

/* The kernel takes `count` chunks from the transmit ring: those of a frame with that number and length. */
static void kernel_sends(odp_pool_t pool, uint8_t number, uint32_t length) {
    for (uint32_t at = 0; at < length;) {
        const struct xdp_desc *desc = &played.tx[played.taken[2]++ % played.entries];
        const uint32_t expected = length - at < CHUNK ? length - at : CHUNK;
        const uint8_t *base = pool->memory + (desc->addr & XSK_UNALIGNED_BUF_ADDR_MASK);
        CHECK((int32_t)(played.given[2] - played.taken[2]) >= 0 && desc->len == expected);
        CHECK(desc->options == (at + expected < length ? XDP_PKT_CONTD : 0));
        CHECK(is_numbered(base + (desc->addr >> XSK_UNALIGNED_BUF_OFFSET_SHIFT), number, at, expected));
        played.completion[played.given[3]++ % played.entries] = desc->addr;
        at += expected;
    }
}

/* Frames of one chunk and of several, of the socket's pool and of another one, round and round the rings. */
static void chunks_out(odp_pool_t pool, odp_pool_t other) {
    static const uint32_t lengths[] = {1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1, LENGTH};
    enum { COUNT = sizeof(lengths) / sizeof(lengths[0]), CHUNKS = 1 + 1 + 1 + 2 + 2 + 3 + 10 };
    for (uint32_t turn = 0; turn < 40; turn++) {
        odp_packet_t packets[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            packets[i] = numbered((turn + i) % 3 ? pool : other, (uint8_t)(turn + i), lengths[i]);
        const uint32_t before = played.given[2];
        CHECK(macs_odp_xsk_send(&played.xsk, packets, COUNT) == COUNT && played.given[2] == before + CHUNKS);
        CHECK(available(pool) == PACKETS - COUNT && available(other) == PACKETS); /* of the other one copies are sent */
        CHECK(macs_odp_xsk_sending(&played.xsk));
        for (uint32_t i = 0; i < COUNT; i++)
            kernel_sends(pool, (uint8_t)(turn + i), lengths[i]);
        played.given[3] -= 5; /* half of the last one */
        CHECK(macs_odp_xsk_sending(&played.xsk) && available(pool) == PACKETS - 1);
        played.given[3] += 5;
        CHECK(!macs_odp_xsk_sending(&played.xsk) && available(pool) == PACKETS && played.taken[3] == played.given[3]);
    }
}

/* What the ring has no room for, or the pool no copy, is not taken. */
static void chunks_without_room(odp_pool_t pool, odp_pool_t other) {
    odp_packet_t packets[8], all[PACKETS];
    for (uint32_t i = 0; i < 8; i++)
        packets[i] = numbered(pool, (uint8_t)i, LENGTH); /* ten entries each */
    CHECK(macs_odp_xsk_send(&played.xsk, packets, 8) == 6 && macs_odp_xsk_send(&played.xsk, packets + 6, 2) == 0);
    odp_packet_t last[2] = {numbered(pool, 77, 401), numbered(pool, 78, 400)}; /* four entries are left */
    CHECK(macs_odp_xsk_send(&played.xsk, last, 2) == 0 && macs_odp_xsk_send(&played.xsk, last + 1, 1) == 1);
    odp_packet_free(last[0]);
    for (uint32_t i = 0; i < 6; i++)
        kernel_sends(pool, (uint8_t)i, LENGTH);
    kernel_sends(pool, 78, 400);
    CHECK(macs_odp_xsk_send(&played.xsk, packets + 6, 2) == 2);
    for (uint32_t i = 6; i < 8; i++)
        kernel_sends(pool, (uint8_t)i, LENGTH);
    CHECK(!macs_odp_xsk_sending(&played.xsk) && available(pool) == PACKETS);
    for (uint32_t i = 0; i < 3; i++)
        packets[i] = numbered(other, (uint8_t)i, 60);
    CHECK(odp_packet_alloc_multi(pool, 60, all, PACKETS - 2) == PACKETS - 2);
    CHECK(macs_odp_xsk_send(&played.xsk, packets, 3) == 2 && available(other) == PACKETS - 1 && available(pool) == 0);
    kernel_sends(pool, 0, 60);
    CHECK(macs_odp_xsk_send(&played.xsk, packets + 2, 1) == 1 && available(other) == PACKETS);
    odp_packet_free_multi(all, PACKETS - 2);
}

/* More frames than are given back to the pool at once. */
static void chunks_of_many(odp_pool_t pool) {
    enum { MANY = 200 };
    odp_packet_t packets[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        packets[i] = numbered(pool, (uint8_t)i, 60);
    CHECK(macs_odp_xsk_send(&played.xsk, packets, MANY) == MANY && available(pool) == PACKETS - MANY);
    for (uint32_t i = 0; i < MANY; i++)
        kernel_sends(pool, (uint8_t)i, 60);
    CHECK(!macs_odp_xsk_sending(&played.xsk) && available(pool) == PACKETS);
}

/* The kernel writes a frame into chunks from the fill ring; of the last one `whole` says whether it has come. */
static void kernel_receives(odp_pool_t pool, uint8_t number, uint32_t length, uint32_t chunk, bool whole) {
    for (uint32_t at = 0; at < length;) {
        const uint64_t start = played.fill[played.taken[0]++ % played.entries];
        const uint32_t bytes = length - at < chunk ? length - at : chunk;
        CHECK((int32_t)(played.given[0] - played.taken[0]) >= 0);
        for (uint32_t i = 0; i < bytes; i++)
            pool->memory[start + MACS_ODP_XSK_HEADROOM + i] = (uint8_t)(number + at + i);
        at += bytes;
        played.rx[played.given[1]++ % played.entries] =
            (struct xdp_desc){.addr = start | (uint64_t)MACS_ODP_XSK_HEADROOM << XSK_UNALIGNED_BUF_OFFSET_SHIFT,
                              .len = bytes,
                              .options = at < length || !whole ? XDP_PKT_CONTD : 0};
    }
}

static void check_received(uint32_t num, uint32_t expected, const uint32_t lengths[], uint8_t number, uint64_t bad) {
    odp_packet_t packets[ENTRIES_MAX];
    uint64_t errors = 3;
    CHECK(macs_odp_xsk_recv(&played.xsk, packets, num, &errors) == expected && errors == 3 + bad);
    for (uint32_t i = 0; i < expected; i++) {
        CHECK(odp_packet_len(packets[i]) == lengths[i] && odp_packet_headroom(packets[i]) == 256);
        CHECK(is_numbered(odp_packet_data(packets[i]), (uint8_t)(number + i), 0, lengths[i]));
    }
    odp_packet_free_multi(packets, (int)expected);
}

/* Frames come whole, whatever they are in; what is too long for a packet is an error, and what has not come to its end
 * waits. The kernel has as many packets as its ring holds, as long as there are any. */
static void chunks_in(odp_pool_t pool) {
    static const uint32_t lengths[] = {60, 100, 101, 1000, 1024};
    macs_odp_xsk_refill(&played.xsk);
    CHECK(played.given[0] == ENTRIES_MAX && available(pool) == PACKETS - ENTRIES_MAX);
    for (uint32_t turn = 0; turn < 40; turn++) {
        for (uint32_t i = 0; i < 5; i++)
            kernel_receives(pool, (uint8_t)(turn + i), lengths[i], CHUNK, true);
        check_received(2, 2, lengths, (uint8_t)turn, 0);
        check_received(ENTRIES_MAX, 3, lengths + 2, (uint8_t)(turn + 2), 0);
        CHECK(played.taken[1] == played.given[1]);
        kernel_receives(pool, 9, 1025, CHUNK, true);
        check_received(ENTRIES_MAX, 0, lengths, 9, 1);
        CHECK(played.taken[1] == played.given[1]);
        kernel_receives(pool, 9, 1025, CHUNK, true);
        kernel_receives(pool, 10, 60, CHUNK, true);
        kernel_receives(pool, 11, 200, CHUNK, false);
        check_received(ENTRIES_MAX, 1, lengths, 10, 1);
        check_received(ENTRIES_MAX, 0, lengths, 10, 0);
        CHECK(played.given[1] - played.taken[1] == 2);
        played.rx[(played.given[1] - 1) % played.entries].options = 0;
        check_received(ENTRIES_MAX, 1, (uint32_t[]){200}, 11, 0);
        CHECK(played.taken[1] == played.given[1]);
        const uint32_t filled = played.given[0] - played.taken[1];
        CHECK(filled <= ENTRIES_MAX && filled > ENTRIES_MAX - 64 && available(pool) == PACKETS - filled);
    }
    odp_packet_t all[PACKETS]; /* none is left to be filled: those that there are go round */
    const int left = odp_packet_alloc_multi(pool, 60, all, PACKETS);
    CHECK(available(pool) == 0);
    while (played.given[0] != played.taken[0])
        kernel_receives(pool, 1, 60, CHUNK, true);
    const uint32_t filled = played.given[0];
    while (played.taken[1] != played.given[1])
        check_received(1, 1, lengths, 1, 0);
    CHECK(played.given[0] > filled && played.given[0] - filled + available(pool) == PACKETS - (uint32_t)left);
    odp_packet_free_multi(all, left);
    macs_odp_xsk_refill(&played.xsk);
    const uint32_t again = played.given[0] - played.taken[0];
    CHECK(again > ENTRIES_MAX - 64 && available(pool) == PACKETS - again);
}

static void chunks(void) {
    odp_pool_t pool = pool_of(PACKETS), other = pool_of(PACKETS);
    play(pool, 64);
    chunks_out(pool, other);
    chunks_without_room(pool, other);
    macs_odp_xsk_memory_close(&played.xsk); /* with what the kernel has not told of */
    CHECK(available(pool) == PACKETS && available(other) == PACKETS);
    play(pool, ENTRIES_MAX);
    chunks_of_many(pool);
    chunks_in(pool);
    macs_odp_xsk_memory_close(&played.xsk);
    CHECK(available(pool) == PACKETS && odp_pool_destroy(pool) == 0 && odp_pool_destroy(other) == 0);
}

/* --- frames ---------------------------------------------------------------------------------------------------------
 */

/* The longest frame of an interface whose MTU is 1500: the header, a tag beside the frame, a tag within it. */
static void frames(void) {
    static const uint32_t lengths[] = {60, 1514, 1518, 1522, 1523, 1600};
    static const uint8_t tags[] = {0x88, 0xa8, 0, 5, 0x81, 0, 0, 7, 0x88, 0xb5};
    enum { COUNT = sizeof(lengths) / sizeof(lengths[0]), LONGER = 2 };
    odp_pool_param_t param;
    odp_packet_t packets[COUNT], sent[COUNT];
    struct macs_odp_pktio pktio = {.name = "af_xdp:played"};
    static struct af_xdp_state state;
    uint64_t errors = 3;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = COUNT;
    param.pkt.len = param.pkt.seg_len = 2048;
    odp_pool_t pool = odp_pool_create("frames", &param);
    CHECK(pool != ODP_POOL_INVALID);
    state.interface.maxlen = 1500 + 14 + 4;
    pktio.state = &state;
    for (uint32_t i = 0; i < COUNT; i++) {
        sent[i] = packets[i] = odp_packet_alloc(pool, lengths[i]);
        CHECK(packets[i] != ODP_PACKET_INVALID);
        memset(odp_packet_data(packets[i]), 2, lengths[i]);
        memcpy((uint8_t *)odp_packet_data(packets[i]) + 12, tags, sizeof(tags));
    }
    pktio.pool = (struct macs_odp_pool *)pool;
    CHECK(frames_complete(&pktio, packets, COUNT, &errors) == COUNT - LONGER && errors == 3 + LONGER);
    for (uint32_t i = 0; i < COUNT - LONGER; i++)
        CHECK(packets[i] == sent[i] && odp_packet_len(packets[i]) == lengths[i]);
    odp_packet_free_multi(packets, COUNT - LONGER);
    CHECK(odp_pool_destroy(pool) == 0); /* those that were too long are back */
}

/* --- what an interface has dropped ----------------------------------------------------------------------------------
 */

static char net_dev[] =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo ...\n"
    "   lo:  101  102  103  104  105  106  107  108  109  110  111  112  113  114  115  116\n"
    " eth1:  201  202  203  204  205  206  207  208  209  210  211  212  213  214  215  216\n"
    "eth10:4294967301 302 303 304 305 306 307 308 309 310 311 8589934593 313 314 315 316\n";

FILE *__wrap_fopen(const char *name, const char *mode) {
    return strcmp(name, "/proc/net/dev") == 0 ? fmemopen(net_dev, strlen(net_dev), "r") : __real_fopen(name, mode);
}

static void dropped(void) {
    CHECK(macs_odp_netdev_dropped("lo") == 112);
    CHECK(macs_odp_netdev_dropped("eth1") == 212);
    CHECK(macs_odp_netdev_dropped("eth10") == UINT64_C(8589934593));
    CHECK(macs_odp_netdev_dropped("eth") == 0 && macs_odp_netdev_dropped("eth100") == 0);
}

/* --- a tap port that is started again -------------------------------------------------------------------------------
 */

static bool privileged = true;

int __wrap_ioctl(int fd, unsigned long what, ...) {
    va_list arguments;
    va_start(arguments, what);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (what == SIOCSIFFLAGS && !privileged) {
        errno = EPERM;
        return -1;
    }
    return __real_ioctl(fd, what, argument);
}

static uint8_t ours[60] = {[0 ... 11] = 2, 0x88, 0xb5};

static void to_interface(int fd, uint8_t number) {
    ours[14] = number;
    CHECK(send(fd, ours, sizeof(ours), 0) == sizeof(ours));
}

/* The number of the next frame of ours that the port receives. */
static int next_number(odp_pktin_queue_t queue) {
    for (int number = -1;;) {
        odp_packet_t packet;
        while (odp_pktin_recv(queue, &packet, 1) == 1) {
            const uint8_t *data = odp_packet_data(packet);
            if (odp_packet_len(packet) == sizeof(ours) && memcmp(data, ours, 14) == 0)
                number = data[14];
            odp_packet_free(packet);
            if (number >= 0)
                return number;
        }
    }
}

/* The kernel's own count of what found no room in the queue that the port reads. */
static uint64_t dropped_by_kernel(const char *interface) {
    char line[512], name[32];
    unsigned long long value = 0, found = 0;
    FILE *file = fopen("/proc/self/net/dev", "r");
    CHECK(file != NULL);
    snprintf(name, sizeof(name), " %s:", interface);
    while (fgets(line, sizeof(line), file) != NULL) {
        const char *at = strstr(line, name);
        if (at != NULL && sscanf(at + strlen(name), "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &value) == 1)
            found++;
    }
    CHECK(found == 1 && fclose(file) == 0);
    return value;
}

/* However often they are asked for: the port's discards are what the kernel has dropped beyond `before`. */
static void check_discards(odp_pktio_t port, odp_pktin_queue_t queue, uint64_t before) {
    odp_pktio_stats_t stats;
    odp_pktin_queue_stats_t of_queue;
    uint64_t dropped;
    for (int asked = 0; asked < 3; asked++) {
        do { /* the kernel may have frames of its own that it drops meanwhile */
            dropped = dropped_by_kernel("again");
            CHECK(odp_pktio_stats(port, &stats) == 0 && odp_pktin_queue_stats(queue, &of_queue) == 0);
        } while (dropped != dropped_by_kernel("again"));
        CHECK(stats.in_discards == dropped - before && of_queue.discards == dropped - before);
    }
}

/* What the kernel drops is counted once, and from a reset on. */
static void tap_drops(odp_pktio_t port, odp_pktin_queue_t queue, int fd) {
    uint64_t before = 0;
    check_discards(port, queue, before);
    for (int turn = 0; turn < 3; turn++) {
        const uint64_t known = dropped_by_kernel("again");
        for (int i = 0; i < 1100; i++) /* its queue has room for 1000 */
            (void)send(fd, ours, sizeof(ours), MSG_DONTWAIT);
        CHECK(dropped_by_kernel("again") >= known + 100);
        check_discards(port, queue, before);
        if (turn != 1)
            continue;
        for (int i = 0; i < 100; i++) /* nobody has asked for these when all begins anew */
            (void)send(fd, ours, sizeof(ours), MSG_DONTWAIT);
        do {
            before = dropped_by_kernel("again");
            CHECK(odp_pktio_stats_reset(port) == 0);
        } while (before != dropped_by_kernel("again"));
        check_discards(port, queue, before);
    }
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_start(port) == 0); /* what waits is not received */
    to_interface(fd, 77);
    CHECK(next_number(queue) == 77);
    check_discards(port, queue, before);
}

static void tap(void) {
    odp_pool_param_t param;
    odp_pktin_queue_t queue;
    if (unshare(CLONE_NEWNET) != 0 || access("/dev/net/tun", R_OK | W_OK) != 0)
        exit(77);
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = 256;
    param.pkt.len = param.pkt.seg_len = 2048;
    const unsigned before = test_open_descriptors();
    odp_pool_t pool = odp_pool_create("tap", &param);
    odp_pktio_t port = odp_pktio_open("tap:again", pool, NULL);
    CHECK(port != ODP_PKTIO_INVALID && odp_pktin_queue_config(port, NULL) == 0);
    CHECK(odp_pktout_queue_config(port, NULL) == 0 && odp_pktio_start(port) == 0);
    CHECK(odp_pktin_queue(port, &queue, 1) == 1);
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("again")};
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
    to_interface(fd, 1);
    CHECK(next_number(queue) == 1);
    privileged = false; /* given up since; the interface is up */
    for (uint8_t turn = 2; turn < 6; turn += 2) {
        CHECK(odp_pktio_stop(port) == 0);
        to_interface(fd, turn); /* nobody receives it */
        CHECK(odp_pktio_start(port) == 0);
        to_interface(fd, turn + 1);
        CHECK(next_number(queue) == turn + 1);
    }
    tap_drops(port, queue, fd);
    close(fd);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0 && odp_pool_destroy(pool) == 0);
    CHECK(if_nametoindex("again") == 0 && test_open_descriptors() == before);
}

/* --- promiscuous mode by the interface's flag -----------------------------------------------------------------------
 */

static bool memberships = true;

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
    if (level == SOL_PACKET && (name == PACKET_ADD_MEMBERSHIP || name == PACKET_DROP_MEMBERSHIP) && !memberships) {
        errno = ENOPROTOOPT;
        return -1;
    }
    return __real_setsockopt(fd, level, name, value, size);
}

static short flags_of(const char *interface) {
    struct ifreq ifr = {.ifr_flags = 0};
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    strcpy(ifr.ifr_name, interface);
    CHECK(fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &ifr) == 0 && close(fd) == 0);
    return ifr.ifr_flags;
}

/* As an emulator has no memberships: the flag is set while it is wanted, and not longer than the port is there. */
static void flag(void) {
    if (unshare(CLONE_NEWNET) != 0 || access("/dev/net/tun", R_OK | W_OK) != 0)
        exit(77);
    odp_pool_t pool = pool_of(64);
    odp_pktio_t wire = odp_pktio_open("tap:flagged", pool, NULL);
    CHECK(wire != ODP_PKTIO_INVALID);
    const short before = flags_of("flagged");
    memberships = false;
    for (int turn = 0; turn < 2; turn++) {
        odp_pktio_t port = odp_pktio_open("af_packet:flagged", pool, NULL);
        CHECK(port != ODP_PKTIO_INVALID && flags_of("flagged") == before);
        for (int again = 0; again < 2; again++) {
            CHECK(odp_pktio_promisc_mode_set(port, true) == 0 && flags_of("flagged") == (before | IFF_PROMISC));
            CHECK(macs_odp_netdev_promisc("flagged") == 1 && odp_pktio_promisc_mode(port) == 1);
            CHECK(odp_pktio_promisc_mode_set(port, false) == 0 && flags_of("flagged") == before);
            CHECK(macs_odp_netdev_promisc("flagged") == 0 && odp_pktio_promisc_mode(port) == 0);
        }
        CHECK(turn == 0 || odp_pktio_promisc_mode_set(port, true) == 0);
        CHECK(odp_pktio_close(port) == 0 && flags_of("flagged") == before);
    }
    CHECK(macs_odp_netdev_promisc("nosuchif0") == -1 && odp_pktio_close(wire) == 0 && odp_pool_destroy(pool) == 0);
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    test_begin();
    if (strcmp(part, "rings") == 0)
        rings();
    else if (strcmp(part, "chunks") == 0)
        chunks();
    else if (strcmp(part, "flag") == 0)
        flag();
    else if (strcmp(part, "frames") == 0)
        frames();
    else if (strcmp(part, "dropped") == 0)
        dropped();
    else if (strcmp(part, "tap") == 0)
        tap();
    else
        return 2;
    test_end();
    return 0;
}
