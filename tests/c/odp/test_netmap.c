/* netmap: ports on a netmap that is played here, as the kernel's rules are: what a transmit ring is given arrives on a
 * receive ring of the same port. The linker puts the __wrap_ functions in the place of the system's.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <net/netmap_user.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

enum { FDS = 64, NONE = -1 };

/* A descriptor of /dev/netmap, and the rings that it is bound to. */
static struct {
    bool open, bound, exclusive;
    int rx, tx; /* NONE: no ring of that kind */
} files[FDS];

static struct netmap_if rings;
static bool stuck;         /* the kernel sends nothing */
static bool broken;        /* synchronising fails */
static int ifindex = NONE; /* of the interface; NONE: the port is none */
static bool link_up = true;
static uint64_t dropped; /* by the interface */
static char logged[4096];

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long what, void *body);
void *__real_mmap(void *at, size_t length, int protection, int flags, int fd, long offset);
int __real_munmap(void *at, size_t length);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long what, void *body);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd, long offset);
int __wrap_munmap(void *at, size_t length);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_macs_odp_netdev_index(const char *name);
int __wrap_macs_odp_netdev_mtu(const char *name);
uint64_t __wrap_macs_odp_netdev_dropped(const char *name);
odp_pktio_link_status_t __wrap_macs_odp_netdev_link(const char *name);

int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int fd = __real_open(strcmp(path, NETMAP_DEVICE_NAME) == 0 ? "/dev/null" : path, flags, va_arg(more, int));
    va_end(more);
    if (strcmp(path, NETMAP_DEVICE_NAME) == 0) {
        CHECK(fd >= 0 && fd < FDS);
        files[fd].open = true;
    }
    return fd;
}

int __wrap_close(int fd) {
    if (fd >= 0 && fd < FDS)
        memset(&files[fd], 0, sizeof(files[fd]));
    return __real_close(fd);
}

static int fail(int error) {
    errno = error;
    return -1;
}

/* Where there is no ring of that number it is the first one, as in netmap. */
static int bind_rings(int fd, const struct nmreq_register *body) {
    bool one = body->nr_mode == NR_REG_ONE_NIC;
    int rx = body->nr_flags & NR_TX_RINGS_ONLY            ? NONE
             : one && body->nr_ringid < rings.ni_rx_rings ? body->nr_ringid
                                                          : 0;
    int tx = body->nr_flags & NR_RX_RINGS_ONLY            ? NONE
             : one && body->nr_ringid < rings.ni_tx_rings ? body->nr_ringid
                                                          : 0;
    bool exclusive = (body->nr_flags & NR_EXCLUSIVE) != 0;
    for (int i = 0; i < FDS; i++) {
        bool same = files[i].bound && ((rx != NONE && files[i].rx == rx) || (tx != NONE && files[i].tx == tx));
        if (same && (exclusive || files[i].exclusive))
            return fail(EBUSY);
    }
    files[fd].bound = true;
    files[fd].exclusive = exclusive;
    files[fd].rx = rx;
    files[fd].tx = tx;
    return 0;
}

static int control(int fd, struct nmreq_header *header) {
    void *body = (void *)(uintptr_t)header->nr_body;
    CHECK(header->nr_version == NETMAP_API && header->nr_name[0] != '\0');
    switch (header->nr_reqtype) {
    case NETMAP_REQ_PORT_INFO_GET:
        *(struct nmreq_port_info_get *)body = (struct nmreq_port_info_get){
            .nr_rx_rings = (uint16_t)rings.ni_rx_rings, .nr_tx_rings = (uint16_t)rings.ni_tx_rings, .nr_mem_id = 3};
        return 0;
    case NETMAP_REQ_POOLS_INFO_GET:
        CHECK(((struct nmreq_pools_info *)body)->nr_mem_id == 3);
        ((struct nmreq_pools_info *)body)->nr_buf_pool_objsize = TEST_BUFFER;
        return 0;
    default:
        ((struct nmreq_register *)body)->nr_memsize = sizeof(rings);
        return bind_rings(fd, body);
    }
}

/* From a transmit ring to the receive ring of its number, or the first. */
static void transmit(struct netmap_ring *from, struct netmap_ring *to) {
    for (uint32_t i = nm_ring_next(from, from->tail); i != from->head; i = nm_ring_next(from, i)) {
        struct netmap_slot *slot = &to->slot[to->tail];
        memcpy(to->buffer[to->tail], from->buffer[i], from->slot[i].len);
        *slot = (struct netmap_slot){.buf_idx = to->tail, .len = from->slot[i].len};
        to->tail = nm_ring_next(to, to->tail);
        from->tail = nm_ring_next(from, from->tail);
    }
}

int __wrap_ioctl(int fd, unsigned long what, void *body) {
    if (fd < 0 || fd >= FDS || !files[fd].open)
        return __real_ioctl(fd, what, body);
    if (what == NIOCCTRL)
        return control(fd, body);
    CHECK(files[fd].bound);
    if (broken)
        return fail(ENXIO);
    if (what == NIOCTXSYNC && !stuck && files[fd].tx != NONE)
        transmit(&rings.tx[files[fd].tx], &rings.rx[files[fd].tx < (int)rings.ni_rx_rings ? files[fd].tx : 0]);
    return 0;
}

void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd, long offset) {
    bool ours = fd >= 0 && fd < FDS && files[fd].open;
    return ours ? (void *)&rings : __real_mmap(at, length, protection, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t length) {
    return at == &rings ? 0 : __real_munmap(at, length);
}

int __wrap_socket(int domain, int type, int protocol) {
    (void)domain, (void)type, (void)protocol;
    return __real_open("/dev/null", 0);
}

int __wrap_macs_odp_netdev_index(const char *name) {
    return strcmp(name, "eth9") == 0 ? ifindex : NONE;
}

int __wrap_macs_odp_netdev_mtu(const char *name) {
    (void)name;
    return 1500;
}

uint64_t __wrap_macs_odp_netdev_dropped(const char *name) {
    (void)name;
    return dropped;
}

odp_pktio_link_status_t __wrap_macs_odp_netdev_link(const char *name) {
    (void)name;
    return link_up ? ODP_PKTIO_LINK_STATUS_UP : ODP_PKTIO_LINK_STATUS_DOWN;
}

static int log_keep(odp_log_level_t level, const char *format, ...) {
    (void)level;
    va_list words;
    va_start(words, format);
    int length = vsnprintf(logged, sizeof(logged), format, words);
    va_end(words);
    return length;
}

static int open_files(void) {
    int count = 0;
    for (int i = 0; i < FDS; i++)
        count += files[i].open;
    return count;
}

static void reset(uint32_t rx, uint32_t tx) {
    rings.ni_rx_rings = rx;
    rings.ni_tx_rings = tx;
    stuck = broken = false;
    for (int i = 0; i < TEST_RINGS; i++) {
        rings.rx[i].num_slots = rings.tx[i].num_slots = TEST_SLOTS;
        rings.rx[i].nr_buf_size = rings.tx[i].nr_buf_size = TEST_BUFFER;
        rings.rx[i].head = rings.rx[i].tail = rings.tx[i].head = 0;
        rings.tx[i].tail = TEST_SLOTS - 1;
        for (uint32_t slot = 0; slot < TEST_SLOTS; slot++)
            rings.tx[i].slot[slot].buf_idx = rings.rx[i].slot[slot].buf_idx = slot;
    }
}

static odp_pool_t pool;
static odp_pktin_queue_t in[TEST_RINGS];
static odp_pktout_queue_t out[TEST_RINGS];

static odp_pktio_t port_open(const char *name, uint32_t inputs, uint32_t outputs) {
    odp_pktin_queue_param_t in_param;
    odp_pktout_queue_param_t out_param;
    odp_pktio_t port = odp_pktio_open(name, pool, NULL);
    CHECK(port != ODP_PKTIO_INVALID);
    odp_pktin_queue_param_init(&in_param);
    odp_pktout_queue_param_init(&out_param);
    in_param.num_queues = inputs;
    in_param.hash_enable = inputs > 1;
    out_param.num_queues = outputs;
    CHECK(odp_pktin_queue_config(port, &in_param) == 0 && odp_pktout_queue_config(port, &out_param) == 0);
    CHECK(odp_pktin_queue(port, in, TEST_RINGS) == (int)inputs);
    CHECK(odp_pktout_queue(port, out, TEST_RINGS) == (int)outputs);
    return port;
}

static int send(unsigned queue, uint32_t length) {
    odp_packet_t pkt = odp_packet_alloc(pool, length);
    CHECK(pkt != ODP_PACKET_INVALID);
    memset(odp_packet_data(pkt), (int)length, length);
    int sent = odp_pktout_send(out[queue], &pkt, 1);
    if (sent != 1)
        odp_packet_free(pkt);
    return sent;
}

/* One frame of this length comes, or none at all. */
static bool comes(uint32_t length) {
    odp_packet_t pkt;
    if (odp_pktin_recv(in[0], &pkt, 1) != 1)
        return false;
    CHECK(odp_packet_len(pkt) == length && *(uint8_t *)odp_packet_data(pkt) == (uint8_t)length);
    odp_packet_free(pkt);
    return true;
}

static void end(odp_pktio_t port) {
    CHECK(odp_pktio_stop(port) == 0 && open_files() == 0 && odp_pktio_close(port) == 0);
}

/* A frame may have a whole buffer, which is known before the port is started. */
static void test_lengths(void) {
    reset(1, 1);
    odp_pktio_t port = port_open("netmap:vale0:1", 1, 1);
    CHECK(odp_pktout_maxlen(port) == TEST_BUFFER && odp_pktio_start(port) == 0);
    CHECK(send(0, TEST_BUFFER) == 1 && comes(TEST_BUFFER));
    CHECK(send(0, TEST_BUFFER + 1) == -1 && odp_errno() == EMSGSIZE && !comes(0));
    end(port);
}

/* Rings belong to one port, also where there are more of one kind, and the second to ask is refused in words. */
static void test_exclusive(void) {
    struct nmreq_register body = {.nr_mode = NR_REG_ALL_NIC};
    for (uint32_t tx = 1; tx <= 3; tx += 2) {
        reset(4 - tx, tx);
        odp_pktio_t port = port_open("netmap:vale0:1", 1, 1);
        CHECK(odp_pktio_start(port) == 0 && open_files() == 3);
        int other = open(NETMAP_DEVICE_NAME, 0);
        CHECK(bind_rings(other, &body) == -1 && errno == EBUSY);
        CHECK(send(0, 60) == 1 && comes(60) && odp_pktio_stop(port) == 0);
        CHECK(bind_rings(other, &body) == 0 && odp_pktio_start(port) == -1);
        CHECK(strstr(logged, "netmap does not give ring 0, which another process has") != NULL);
        close(other);
        CHECK(odp_pktio_start(port) == 0);
        end(port);
    }
}

static void poll_a_while(void) {
    odp_time_wait_ns(250 * ODP_TIME_MSEC_IN_NS);
    for (int i = 0; i < 100; i++)
        CHECK(!comes(0));
}

/* The kernel waits for the descriptors of an interface that is removed; when it is back they are opened again. */
static void test_removal(void) {
    reset(2, 2);
    ifindex = 7;
    odp_pktio_t port = port_open("netmap:eth9", 2, 2);
    CHECK(odp_pktout_maxlen(port) == 1518 && odp_pktio_start(port) == 0 && open_files() == 2);
    CHECK(send(0, 60) == 1 && comes(60));
    ifindex = NONE;
    broken = true;
    poll_a_while();
    CHECK(open_files() == 0 && send(0, 60) == 0);
    ifindex = 8;
    reset(2, 2);
    poll_a_while();
    CHECK(open_files() == 2 && send(0, 61) == 1 && comes(61));
    end(port);
}

/* Sent is what was sent: neither what the kernel still has when the port ends, nor what it refuses or lets fall. */
static void test_counters(void) {
    odp_pktio_stats_t stats;
    reset(1, 1);
    ifindex = 7;
    dropped = 100;
    odp_pktio_t port = port_open("netmap:eth9", 1, 1);
    CHECK(odp_pktio_start(port) == 0 && send(0, 60) == 1);
    dropped = 105;
    CHECK(odp_pktio_stats(port, &stats) == 0 && stats.out_packets == 1 && stats.out_discards == 5);
    broken = true;
    CHECK(send(0, 60) == 1);
    CHECK(odp_pktio_stats(port, &stats) == 0 && stats.out_packets == 1 && stats.out_errors == 1);
    broken = false;
    reset(1, 1);
    link_up = false;
    poll_a_while();
    CHECK(send(0, 60) == 0);
    link_up = true;
    poll_a_while();
    stuck = true;
    CHECK(send(0, 60) == 1 && send(0, 70) == 1);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_stats(port, &stats) == 0);
    CHECK(stats.out_packets == 1 && stats.out_octets == 60 && stats.out_errors == 3 && open_files() == 0);
    CHECK(odp_pktio_close(port) == 0);
    ifindex = NONE;
}

static void test_names(void) {
    char name[100] = "netmap:";
    CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    CHECK(strstr(logged, "port netmap:: expected netmap:PORT") != NULL);
    memset(name + 7, 'x', NETMAP_REQ_IFNAMSIZ);
    CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    reset(0, 0);
    CHECK(odp_pktio_open("netmap:vale0:1", pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == ENODEV);
    CHECK(open_files() == 0);
}

int main(void) {
    odp_init_t param;
    odp_init_param_init(&param);
    param.log_fn = log_keep;
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0 && odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0);
    pool = test_packet_pool(64, 4096, 0, 4);
    test_names();
    test_lengths();
    test_exclusive();
    test_removal();
    test_counters();
    CHECK(odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
