/* Parts of this implementation on a kernel that the test plays: transmit rings of AF_XDP that make headway or none,
 * frames of AF_XDP with tags, what an interface has dropped, and a tap port that is started again or too slow.
 *
 * Usage: test_played rings|frames|dropped|tap. Linked with --wrap=sendto,fopen,ioctl. Exit code 77: there is no tap. */
#include "check.h"

#include "pktio/pktio_af_xdp.c"

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

static void rings(void) {
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

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    test_begin();
    if (strcmp(part, "rings") == 0)
        rings();
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
