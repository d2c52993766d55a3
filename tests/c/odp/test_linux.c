/* What this implementation promises beyond the specification (docs/odp.md): busy pools, freeing twice, rx_end,
 * several input queues. The argument chooses the part; "twice" and "stranger" must end in the abort
 * function, with exit status 42. */
#include "check.h"

#include <stdarg.h>

static char last_words[256];
static const char *expected_words = "";

static ODP_NORETURN void aborted(void) {
    exit(strcmp(last_words, expected_words) == 0 ? 42 : 43);
}

static int quiet(odp_log_level_t level, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    if (level == ODP_LOG_ABORT)
        vsnprintf(last_words, sizeof(last_words), fmt, args);
    va_end(args);
    return 0;
}

static uint64_t rx_end(odp_pktio_t pktio) {
    odp_pktio_extra_stat_info_t info[4];
    uint64_t stat[4] = {9, 9, 9, 9}, same;
    const int count = odp_pktio_extra_stat_info(pktio, info, 4);
    if (count == 0 || strcmp(info[0].name, "rx_end") != 0)
        return 2;
    CHECK(odp_pktio_extra_stats(pktio, stat, 4) == count);
    CHECK(odp_pktio_extra_stat_counter(pktio, 0, &same) == 0 && same == stat[0]);
    CHECK(odp_pktio_extra_stat_counter(pktio, (uint32_t)count, &same) < 0);
    return stat[0];
}

static void port_start(odp_pktio_t pktio, unsigned queues, odp_pktin_queue_t in[]) {
    odp_pktin_queue_param_t param;
    odp_pktin_queue_param_init(&param);
    CHECK(pktio != ODP_PKTIO_INVALID && odp_pktio_start(pktio) < 0); /* no queues yet */
    param.num_queues = queues;
    CHECK(queues == 1 || odp_pktin_queue_config(pktio, &param) < 0); /* how would they be chosen? */
    param.hash_enable = 1;
    param.hash_proto.proto.ipv4_udp = 1;
    CHECK(odp_pktin_queue_config(pktio, &param) == 0 && odp_pktout_queue_config(pktio, NULL) == 0);
    CHECK(odp_pktin_queue(pktio, in, (int)queues) == (int)queues && odp_pktio_start(pktio) == 0);
}

static void port_end(odp_pktio_t pktio) {
    CHECK(odp_pktio_stop(pktio) == 0 && odp_pktio_close(pktio) == 0);
}

static void test_busy(void) {
    odp_pool_t pool = test_packet_pool(16, 256, 0, 4);
    odp_pool_stats_t stats;
    odp_packet_t pkt = odp_packet_alloc(pool, 10);
    CHECK(odp_pool_destroy(pool) == -1 && odp_errno() != 0);
    odp_packet_free(pkt);
    CHECK(odp_packet_is_valid(pkt) == 0 && odp_packet_is_valid((odp_packet_t)(uintptr_t)12345) == 0);
    odp_pktio_t pktio = odp_pktio_open("null:busy", pool, NULL);
    CHECK(pktio != ODP_PKTIO_INVALID && odp_pool_destroy(pool) == -1);
    CHECK(odp_pktio_close(pktio) == 0 && odp_pool_stats(pool, &stats) == 0 && odp_pool_destroy(pool) == 0);
}

/* Every frame once, each flow in one queue and in order. Frames carry their flow in the UDP source port at byte 34, and
 * their number in the last four bytes. */
static void test_queues(const char *file, unsigned frames) {
    enum { QUEUES = 4, FLOWS = 65536 };
    static uint32_t last[FLOWS];
    static uint8_t queue_of[FLOWS];
    odp_pktin_queue_t in[QUEUES];
    odp_packet_t pkt[16];
    unsigned total = 0, used = 0;
    char name[256];
    odp_pool_t pool = test_packet_pool(64, 2048, 0, 8);
    snprintf(name, sizeof(name), "mem:%s", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    port_start(pktio, QUEUES, in);
    for (unsigned q = 0; q < QUEUES; q++) {
        unsigned before = total;
        for (int got; (got = odp_pktin_recv(in[q], pkt, 16)) > 0; total += (unsigned)got) {
            for (int i = 0; i < got; i++) {
                uint8_t *data = odp_packet_data(pkt[i]), *end = data + odp_packet_len(pkt[i]);
                unsigned flow = (unsigned)data[34] << 8 | data[35];
                uint32_t number = (uint32_t)end[-4] << 24 | (uint32_t)end[-3] << 16 | (uint32_t)end[-2] << 8 | end[-1];
                CHECK(number + 1 > last[flow] && (queue_of[flow] == 0 || queue_of[flow] == q + 1));
                last[flow] = number + 1;
                queue_of[flow] = (uint8_t)(q + 1);
            }
            odp_packet_free_multi(pkt, got);
        }
        used += total > before;
        CHECK(rx_end(pktio) == (q == QUEUES - 1));
    }
    CHECK(total == frames && used == QUEUES);
    CHECK(odp_pktin_recv(in[0], pkt, 16) == 0);
    port_end(pktio);
    CHECK(odp_pool_destroy(pool) == 0);
}

static void test_ends(const char *file, unsigned frames) {
    odp_pool_t pool = test_packet_pool(64, 2048, 0, 8);
    odp_pktin_queue_t in;
    odp_packet_t pkt[40];
    unsigned total = 0;
    char name[256];
    snprintf(name, sizeof(name), "pcap:%s", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    port_start(pktio, 1, &in);
    odp_packet_t none[64]; /* an empty pool is no end */
    CHECK(odp_packet_alloc_multi(pool, 1, none, 64) == 64 && odp_pktin_recv(in, pkt, 40) == 0 && rx_end(pktio) == 0);
    odp_packet_free_multi(none, 64);
    for (int got; (got = odp_pktin_recv(in, pkt, 40)) > 0; total += (unsigned)got)
        odp_packet_free_multi(pkt, got);
    CHECK(total == frames && rx_end(pktio) == 1);
    port_end(pktio);

    snprintf(name, sizeof(name), "mem:%s,loop", file);
    pktio = odp_pktio_open(name, pool, NULL);
    port_start(pktio, 1, &in);
    CHECK(rx_end(pktio) == 2);
    for (total = 0; total < 3 * frames; total += 40) {
        CHECK(odp_pktin_recv(in, pkt, 40) == 40);
        odp_packet_free_sp(pkt, 40);
    }
    /* An empty pool loses nothing: the frames come when there are packets again. */
    odp_packet_t all[64];
    int held = odp_packet_alloc_multi(pool, 1, all, 64);
    CHECK(held == 64 && odp_pktin_recv(in, pkt, 40) == 0);
    odp_packet_free_multi(all, held);
    CHECK(odp_pktin_recv(in, pkt, 40) == 40);
    odp_packet_free_multi(pkt, 40);
    port_end(pktio);
    pktio = odp_pktio_open("null:", pool, NULL);
    CHECK(pktio != ODP_PKTIO_INVALID && rx_end(pktio) == 1 && odp_pktio_close(pktio) == 0);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* What a sink gets goes back to the pool that it is of. */
static void test_sink(void) {
    odp_pool_t pool[2] = {test_packet_pool(4, 256, 0, 0), test_packet_pool(4, 256, 0, 4)};
    odp_pktio_t pktio = odp_pktio_open("null:sink", pool[0], NULL);
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
    odp_pktio_stats_t stats;
    odp_packet_t pkt[8];
    port_start(pktio, 1, &in);
    CHECK(odp_pktout_queue(pktio, &out, 1) == 1);
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned i = 0; i < 8; i++)
            CHECK((pkt[i] = odp_packet_alloc(pool[i % 2], i + 1)) != ODP_PACKET_INVALID);
        CHECK(odp_pktout_send(out, pkt, 8) == 8);
    }
    CHECK(odp_pktio_stats(pktio, &stats) == 0 && stats.out_packets == 24 && stats.out_octets == 3 * 36);
    port_end(pktio);
    CHECK(odp_pool_destroy(pool[0]) == 0 && odp_pool_destroy(pool[1]) == 0);
}

/* A file is read from its beginning each time that its port is started, from one queue or from several. */
static void test_again(const char *file, unsigned frames) {
    odp_pool_t pool = test_packet_pool(64, 2048, 0, 8);
    odp_pktin_queue_t in[4];
    odp_packet_t pkt[16];
    char name[256];
    snprintf(name, sizeof(name), "mem:%s", file);
    for (unsigned queues = 1; queues <= 4; queues += 3) {
        odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
        uint64_t of_queue[4] = {0}, bytes_of_queue[4] = {0};
        port_start(pktio, queues, in);
        for (unsigned turn = 1; turn <= 3; turn++) {
            unsigned total = 0;
            odp_pktin_queue_stats_t counted;
            odp_pktio_stats_t stats;
            uint64_t bytes = 0;
            CHECK(rx_end(pktio) == 0);
            for (unsigned q = 0; q < queues; q++) {
                for (int got; (got = odp_pktin_recv(in[q], pkt, 16)) > 0; total += (unsigned)got) {
                    for (int i = 0; i < got; i++)
                        bytes_of_queue[q] += odp_packet_len(pkt[i]);
                    of_queue[q] += (unsigned)got;
                    odp_packet_free_multi(pkt, got);
                }
                CHECK(odp_pktin_queue_stats(in[q], &counted) == 0 && counted.packets == of_queue[q]);
                CHECK(counted.octets == bytes_of_queue[q] && counted.errors == 0 && counted.discards == 0);
                bytes += counted.octets;
            }
            CHECK(odp_pktio_stats(pktio, &stats) == 0 && stats.in_packets == turn * frames);
            CHECK(stats.in_octets == bytes);
            CHECK(total == frames && rx_end(pktio) == 1);
            CHECK(odp_pktio_stop(pktio) == 0 && (turn == 3 || odp_pktio_start(pktio) == 0));
        }
        CHECK(odp_pktio_close(pktio) == 0);
    }
    CHECK(odp_pool_destroy(pool) == 0);
}

static void check_counts(odp_pktio_t pktio, odp_pktin_queue_t in, uint64_t packets, uint64_t octets, uint64_t errors) {
    odp_pktio_stats_t stats;
    odp_pktin_queue_stats_t of_queue;
    CHECK(odp_pktio_stats(pktio, &stats) == 0 && odp_pktin_queue_stats(in, &of_queue) == 0);
    CHECK(stats.in_packets == packets && stats.in_octets == octets && stats.in_errors == errors);
    CHECK(of_queue.packets == packets && of_queue.octets == octets && of_queue.errors == errors);
    CHECK(stats.in_discards == 0 && of_queue.discards == 0 && stats.out_packets == 0 && stats.out_octets == 0);
}

/* Counts begin anew with a reset, whatever they are of. Every other frame of the file is too long for a packet. */
static void test_reset(const char *file, unsigned frames, unsigned length) {
    odp_pool_t pool = test_packet_pool(64, 256, 0, 8);
    odp_pktin_queue_t in;
    odp_packet_t pkt;
    char name[256];
    snprintf(name, sizeof(name), "pcap:%s", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    port_start(pktio, 1, &in);
    for (unsigned i = 0; i < frames / 2; i++) {
        CHECK(odp_pktin_recv(in, &pkt, 1) == 1);
        odp_packet_free(pkt);
    }
    check_counts(pktio, in, frames / 2, frames / 2 * length, frames / 2);
    CHECK(odp_pktio_stats_reset(pktio) == 0);
    check_counts(pktio, in, 0, 0, 0);
    for (unsigned i = 0; i < frames / 2; i++) {
        CHECK(odp_pktin_recv(in, &pkt, 1) == 1);
        odp_packet_free(pkt);
    }
    check_counts(pktio, in, frames / 2, frames / 2 * length, frames / 2);
    port_end(pktio);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* What each thread keeps of a pool is told of those threads that are asked for, the first of them first. */
static odp_pool_t kept_of;

static void keep(int number) {
    odp_packet_t pkt[4];
    odp_pool_stats_t stats;
    const int thread = odp_thread_id();
    (void)number;
    CHECK(thread > 0 && odp_packet_alloc_multi(kept_of, 10, pkt, 4) == 4);
    odp_packet_free_multi(pkt, 4);
    stats.thread.first = stats.thread.last = (uint16_t)thread;
    CHECK(odp_pool_stats(kept_of, &stats) == 0);
    CHECK(stats.thread.cache_available[0] >= 4 && stats.thread.cache_available[0] <= stats.cache_available);
    stats.thread.first = (uint16_t)(thread - 1);
    const uint64_t own = stats.thread.cache_available[0];
    CHECK(odp_pool_stats(kept_of, &stats) == 0 && stats.thread.cache_available[1] == own);
    stats.thread.first = stats.thread.last = (uint16_t)(thread + 1); /* it keeps nothing */
    CHECK(odp_pool_stats(kept_of, &stats) == 0 && stats.thread.cache_available[0] == 0);
    stats.thread.first = (uint16_t)(thread + 2);
    CHECK(odp_pool_stats(kept_of, &stats) < 0);
}

static void test_kept(void) {
    odp_pool_param_t param;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = 64;
    param.pkt.len = 100;
    param.pkt.cache_size = 16;
    param.stats.bit.available = param.stats.bit.cache_available = param.stats.bit.thread_cache_available = 1;
    kept_of = odp_pool_create("kept", &param);
    CHECK(kept_of != ODP_POOL_INVALID);
    for (int turn = 0; turn < 2; turn++) {
        odp_packet_t all[65];
        odp_pool_stats_t stats;
        test_threads(1, keep);
        stats.thread.first = 0; /* a thread that has ended keeps nothing: others get it */
        stats.thread.last = ODP_POOL_MAX_THREAD_STATS - 1;
        CHECK(odp_pool_stats(kept_of, &stats) == 0 && stats.available + stats.cache_available == 64);
        for (unsigned thread = 1; thread < ODP_POOL_MAX_THREAD_STATS; thread++)
            CHECK(stats.thread.cache_available[thread] == 0);
        CHECK(stats.thread.cache_available[0] == stats.cache_available);
        CHECK(odp_packet_alloc_multi(kept_of, 10, all, 65) == 64);
        CHECK(odp_pool_stats(kept_of, &stats) == 0 && stats.available == 0 && stats.cache_available == 0);
        odp_packet_free_multi(all, 64);
    }
    CHECK(odp_pool_destroy(kept_of) == 0);
}

static bool has_bytes(odp_packet_t pkt, uint32_t offset, uint32_t count) {
    const uint8_t *data = (const uint8_t *)odp_packet_data(pkt) + offset;
    for (uint32_t i = 0; i < count; i++)
        if (data[i] != (uint8_t)i)
            return false;
    return true;
}

/* All of a packet's room is used, whichever end it is at, and no byte more; an end that moves keeps what stands there.
 */
static void test_room(void) {
    odp_pool_t pool = test_packet_pool(4, 300, 0, 0);
    for (int way = 0; way < 3; way++) {
        odp_packet_t pkt = odp_packet_alloc(pool, 100);
        const uint32_t room = odp_packet_buf_len(pkt);
        for (uint32_t i = 0; i < 100; i++)
            ((uint8_t *)odp_packet_data(pkt))[i] = (uint8_t)i;
        if (way == 0) {
            CHECK(odp_packet_extend_head(&pkt, room - 99, NULL, NULL) < 0 && odp_packet_len(pkt) == 100);
            CHECK(odp_packet_extend_head(&pkt, room - 100, NULL, NULL) == 1 && has_bytes(pkt, room - 100, 100));
        } else if (way == 1) {
            CHECK(odp_packet_extend_tail(&pkt, room - 99, NULL, NULL) < 0 && odp_packet_len(pkt) == 100);
            CHECK(odp_packet_extend_tail(&pkt, room - 100, NULL, NULL) == 1 && has_bytes(pkt, 0, 100));
        } else {
            CHECK(odp_packet_add_data(&pkt, 0, room - 99) < 0 && odp_packet_len(pkt) == 100);
            CHECK(odp_packet_add_data(&pkt, 0, room - 100) == 1 && has_bytes(pkt, room - 100, 100));
        }
        CHECK(odp_packet_len(pkt) == room && odp_packet_headroom(pkt) == 0 && odp_packet_tailroom(pkt) == 0);
        odp_packet_free(pkt);
    }
    odp_packet_t pkt = odp_packet_alloc(pool, 64);
    const uint32_t headroom = odp_packet_headroom(pkt), tailroom = odp_packet_tailroom(pkt);
    CHECK(headroom > 3 && odp_packet_extend_tail(&pkt, tailroom + 3, NULL, NULL) == 1); /* it moves by what lacks */
    CHECK(odp_packet_headroom(pkt) == headroom - 3 && odp_packet_tailroom(pkt) == 0);
    odp_packet_free(pkt);
    pkt = odp_packet_alloc(pool, 64);
    CHECK(odp_packet_push_head(pkt, odp_packet_headroom(pkt)) != NULL); /* a cache line begins here */
    CHECK(odp_packet_push_tail(pkt, odp_packet_tailroom(pkt) - 31) != NULL);
    CHECK(odp_packet_align(&pkt, 1, 1, 32) == 1 && odp_packet_tailroom(pkt) == 0); /* forward by all that there is */
    odp_packet_free(pkt);
    CHECK(odp_pool_destroy(pool) == 0);
}

static odp_pktin_queue_t shared_in;
static odp_pktout_queue_t shared_out;
static odp_pktio_t shared_port[2];
static odp_atomic_u32_t shared_count;

static void share(int number) {
    odp_packet_t pkt[7];
    odp_pktio_stats_t stats;
    (void)number;
    while (rx_end(shared_port[0]) == 0) {
        int got = odp_pktin_recv(shared_in, pkt, 7), sent = 0;
        while (sent < got) {
            int more = odp_pktout_send(shared_out, pkt + sent, got - sent);
            CHECK(more > 0);
            sent += more;
        }
        odp_atomic_add_u32(&shared_count, (uint32_t)got);
        CHECK(odp_pktio_stats(shared_port[1], &stats) == 0 && stats.out_packets <= 5000);
    }
}

/* Many threads at one input queue and one output queue of mode ODP_PKTIO_OP_MT: each frame goes through once. */
static void test_shared(const char *file, unsigned frames, const char *output) {
    odp_pool_t pool = test_packet_pool(64, 256, 0, 8);
    odp_pktin_queue_t unused;
    char name[256];
    snprintf(name, sizeof(name), "mem:%s", file);
    shared_port[0] = odp_pktio_open(name, pool, NULL);
    snprintf(name, sizeof(name), "pcap:,%s", output);
    shared_port[1] = odp_pktio_open(name, pool, NULL);
    port_start(shared_port[0], 1, &shared_in);
    port_start(shared_port[1], 1, &unused);
    CHECK(odp_pktout_queue(shared_port[1], &shared_out, 1) == 1);
    odp_atomic_init_u32(&shared_count, 0);
    test_threads(4, share);
    odp_pktio_stats_t stats;
    CHECK(odp_atomic_load_u32(&shared_count) == frames);
    CHECK(odp_pktio_stats(shared_port[0], &stats) == 0 && stats.in_packets == frames);
    CHECK(odp_pktio_stats(shared_port[1], &stats) == 0 && stats.out_packets == frames);
    port_end(shared_port[0]);
    port_end(shared_port[1]);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* The largest queue there may be holds what it says, and the length of a context is kept with it. */
static void test_largest(void) {
    odp_queue_capability_t capa;
    odp_queue_param_t param;
    odp_queue_info_t info;
    odp_pool_t pool = test_packet_pool(4, 300, 0, 0);
    odp_event_t event = odp_packet_to_event(odp_packet_alloc(pool, 64));
    CHECK(odp_queue_capability(&capa) == 0 && capa.plain.max_size == 1u << 20);
    odp_queue_param_init(&param);
    param.size = capa.plain.max_size;
    odp_queue_t queue = odp_queue_create("largest", &param);
    CHECK(queue != ODP_QUEUE_INVALID && odp_queue_info(queue, &info) == 0 && info.param.size == param.size);
    for (uint32_t i = 0; i < param.size; i++) /* one event may be there more than once */
        CHECK(odp_queue_enq(queue, event) == 0);
    CHECK(odp_queue_enq(queue, event) < 0 && odp_queue_len(queue) == param.size);
    while (odp_queue_deq(queue) != ODP_EVENT_INVALID)
        ;
    CHECK(odp_queue_context_set(queue, &param, sizeof(param)) == 0 && odp_queue_info(queue, &info) == 0);
    CHECK(info.param.context == &param && info.param.context_len == sizeof(param));
    odp_event_free(event);
    CHECK(odp_queue_destroy(queue) == 0 && odp_pool_destroy(pool) == 0);
}

static long resident_pages(void) {
    long all, resident = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2);
    fclose(file);
    return resident;
}

/* Packets take memory when they are taken for the first time, 64 MB here; those that were used before are given first.
 */
static void test_sparse(void) {
    enum { PACKETS = 8192, BYTES = 8000, BURST = 64 };
    static odp_packet_t all[PACKETS];
    const long before = resident_pages(), page = 4096, all_pages = (long)PACKETS * BYTES / page;
    odp_pool_t pool = test_packet_pool(PACKETS, BYTES, 0, 0);
    odp_packet_t some[BURST];
    odp_packet_free_multi(&(odp_packet_t){odp_packet_alloc(pool, BYTES)}, 1);
    CHECK(resident_pages() - before < all_pages / 4);
    for (int round = 0; round < PACKETS / BURST * 2; round++) {
        CHECK(odp_packet_alloc_multi(pool, BYTES, some, BURST) == BURST);
        odp_packet_free_multi(some, BURST);
    }
    CHECK(resident_pages() - before < all_pages / 4);
    for (uint32_t i = 0; i < PACKETS; i++) {
        all[i] = odp_packet_alloc(pool, BYTES);
        CHECK(all[i] != ODP_PACKET_INVALID && odp_packet_is_valid(all[i]) == 1);
        memset(odp_packet_data(all[i]), (int)i, BYTES);
    }
    CHECK(odp_packet_alloc(pool, 1) == ODP_PACKET_INVALID && resident_pages() - before >= all_pages);
    for (uint32_t i = 0; i < PACKETS; i++) /* each its own memory */
        CHECK(((uint8_t *)odp_packet_data(all[i]))[BYTES - 1] == (uint8_t)i);
    odp_packet_free_multi(all, PACKETS);
    CHECK(odp_pool_destroy(pool) == 0);
}

static void test_twice(void) {
    odp_pool_t pool = test_packet_pool(16, 256, 0, 4);
    odp_packet_t pkt = odp_packet_alloc(pool, 10);
    expected_words = "pool test packets: object 0 is freed twice\n";
    odp_packet_free(pkt);
    odp_packet_free(pkt);
}

static void *use_as_a_stranger(void *pool) {
    odp_packet_alloc((odp_pool_t)pool, 10);
    return NULL;
}

static void test_stranger(void) {
    pthread_t thread;
    expected_words = "pool test packets is used by a thread that has not called odp_init_local()\n";
    CHECK(pthread_create(&thread, NULL, use_as_a_stranger, test_packet_pool(16, 256, 0, 4)) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* What was not freed is, with the instance. */
static void test_leftovers(void) {
    odp_pool_t pool = test_packet_pool(16, 256, 0, 4);
    CHECK(odp_packet_alloc(pool, 10) != ODP_PACKET_INVALID && odp_pktio_open("null:left", pool, NULL) != NULL);
    CHECK(odp_queue_create("left", NULL) != ODP_QUEUE_INVALID && odp_shm_reserve("left", 10, 0, 0) != ODP_SHM_INVALID);
}

static int loop_send(odp_pool_t pool, odp_pktout_queue_t out, uint32_t len) {
    odp_packet_t pkt = odp_packet_alloc(pool, len);
    CHECK(pkt != ODP_PACKET_INVALID);
    int sent = odp_pktout_send(out, &pkt, 1);
    if (sent != 1)
        odp_packet_free(pkt);
    return sent;
}

/* Two loops, each its own; what the ring, the pool or a packet has no room for is not taken; what is left is freed. */
static void test_loop(void) {
    enum { RING = 2048, FRAME = 100 };
    odp_pool_t large = test_packet_pool(2 * RING, 256, 0, 4), small = test_packet_pool(8, 512, 0, 4);
    odp_pktio_t one = odp_pktio_open("loop", large, NULL), two = odp_pktio_open("loop:two", small, NULL);
    odp_pktin_queue_t in[2];
    odp_pktout_queue_t out[2];
    odp_packet_t pkt;
    port_start(one, 1, &in[0]);
    port_start(two, 1, &in[1]);
    CHECK(odp_pktout_queue(one, &out[0], 1) == 1 && odp_pktout_queue(two, &out[1], 1) == 1);
    CHECK(loop_send(small, out[0], odp_pktout_maxlen(one) + 1) == -1);
    CHECK(loop_send(small, out[0], odp_pktout_maxlen(one)) == 1);
    CHECK(odp_pktin_recv(in[1], &pkt, 1) == 0 && odp_pktin_recv(in[0], &pkt, 1) == 1);
    CHECK(odp_packet_pool(pkt) == large && odp_packet_len(pkt) == odp_pktout_maxlen(one));
    odp_packet_free(pkt);
    for (int i = 0; i < RING; i++)
        CHECK(loop_send(large, out[0], FRAME) == 1);
    CHECK(loop_send(large, out[0], FRAME) == 0);
    for (int i = 0; i < 8; i++)
        CHECK(loop_send(large, out[1], FRAME) == 1);
    CHECK(loop_send(large, out[1], FRAME) == 0);
    port_end(one);
    port_end(two);
    CHECK(odp_pool_destroy(large) == 0 && odp_pool_destroy(small) == 0);
}

int main(int argc, char **argv) {
    odp_init_t param;
    odp_instance_t second;
    CHECK(argc >= 2);
    const char *part = argv[1];
    odp_init_param_init(&param);
    param.abort_fn = aborted;
    param.log_fn = quiet;
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0 && odp_init_local(test_instance, ODP_THREAD_WORKER) == 0);
    CHECK(odp_init_global(&second, &param, NULL) < 0 && odp_init_local(test_instance, ODP_THREAD_WORKER) < 0);
    CHECK(odp_term_global(test_instance) < 0); /* this thread is still there */
    if (strcmp(part, "busy") == 0)
        test_busy();
    else if (strcmp(part, "twice") == 0)
        test_twice();
    else if (strcmp(part, "stranger") == 0)
        test_stranger();
    else if (strcmp(part, "leftovers") == 0)
        test_leftovers();
    else if (strcmp(part, "queues") == 0 && argc == 4)
        test_queues(argv[2], (unsigned)atoi(argv[3]));
    else if (strcmp(part, "ends") == 0 && argc == 4)
        test_ends(argv[2], (unsigned)atoi(argv[3]));
    else if (strcmp(part, "again") == 0 && argc == 4)
        test_again(argv[2], (unsigned)atoi(argv[3]));
    else if (strcmp(part, "reset") == 0 && argc == 5)
        test_reset(argv[2], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
    else if (strcmp(part, "kept") == 0)
        test_kept();
    else if (strcmp(part, "room") == 0)
        test_room();
    else if (strcmp(part, "largest") == 0)
        test_largest();
    else if (strcmp(part, "sparse") == 0)
        test_sparse();
    else if (strcmp(part, "sink") == 0)
        test_sink();
    else if (strcmp(part, "loop") == 0)
        test_loop();
    else if (strcmp(part, "shared") == 0 && argc == 5)
        test_shared(argv[2], (unsigned)atoi(argv[3]), argv[4]);
    else
        return 2;
    test_end();
    test_begin(); /* an instance after the first, with nothing of it */
    CHECK(odp_pktio_lookup("null:left") == ODP_PKTIO_INVALID && odp_queue_lookup("left") == ODP_QUEUE_INVALID);
    CHECK(odp_shm_lookup("left") == ODP_SHM_INVALID && odp_pool_lookup("test packets") == ODP_POOL_INVALID);
    test_end();
    return 0;
}
