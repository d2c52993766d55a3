/* What ports of this implementation tell of themselves, and what they keep to: arrays that are shorter than what there
 * is, changes while they run, counters, times, files, texts. The arguments are a file of several flows, and how the
 * names of files that are made begin. Linked with --wrap=macs_odp_map,macs_odp_unmap. */
#include "check.h"
#include "told.h"

#include "pktio/pktio.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- memory ---------------------------------------------------------------------------------------------------------
 */

void *__real_macs_odp_map(uint64_t bytes, enum macs_odp_pages pages, uint64_t *mapped, uint64_t *page);
void *__wrap_macs_odp_map(uint64_t bytes, enum macs_odp_pages pages, uint64_t *mapped, uint64_t *page);
void __real_macs_odp_unmap(void *address, uint64_t mapped);
void __wrap_macs_odp_unmap(void *address, uint64_t mapped);

static uint64_t mapped_bytes; /* of pools and of files in memory */

void *__wrap_macs_odp_map(uint64_t bytes, enum macs_odp_pages pages, uint64_t *mapped, uint64_t *page) {
    void *address = __real_macs_odp_map(bytes, pages, mapped, page);
    mapped_bytes += address != NULL ? *mapped : 0;
    return address;
}

void __wrap_macs_odp_unmap(void *address, uint64_t mapped) {
    __real_macs_odp_unmap(address, mapped);
    mapped_bytes -= mapped;
}

/* --- ports ----------------------------------------------------------------------------------------------------------
 */

static void start(odp_pktio_t pktio, uint32_t inputs, uint32_t outputs) {
    odp_pktin_queue_param_t in;
    odp_pktout_queue_param_t out;
    odp_pktin_queue_param_init(&in);
    odp_pktout_queue_param_init(&out);
    in.num_queues = inputs;
    in.hash_enable = inputs > 1;
    in.hash_proto.proto.ipv4_udp = 1;
    out.num_queues = outputs;
    CHECK(pktio != ODP_PKTIO_INVALID && odp_pktin_queue_config(pktio, &in) == 0);
    CHECK(odp_pktout_queue_config(pktio, &out) == 0 && odp_pktio_start(pktio) == 0);
}

static void end(odp_pktio_t pktio) {
    CHECK(odp_pktio_stop(pktio) == 0 && odp_pktio_close(pktio) == 0);
}

static uint64_t extra(odp_pktio_t pktio, uint32_t id) {
    uint64_t value = UINT64_MAX;
    CHECK(odp_pktio_extra_stat_counter(pktio, id, &value) == 0);
    return value;
}

static void send_some(odp_pool_t pool, odp_pktout_queue_t queue, int count, uint32_t length) {
    odp_packet_t packets[8];
    CHECK(odp_packet_alloc_multi(pool, length, packets, count) == count);
    CHECK(odp_pktout_send(queue, packets, count) == count);
}

/* Arrays are filled as far as they go; nothing of a port that runs can be configured. */
static void test_queues(odp_pool_t pool) {
    odp_pktin_queue_t in[4] = {NULL, NULL, NULL, NULL};
    odp_pktout_queue_t out[4] = {NULL, NULL, NULL, NULL};
    odp_pktio_t pktio = odp_pktio_open("null:queues", pool, NULL);
    start(pktio, 3, 3);
    CHECK(odp_pktin_queue(pktio, in, 2) == 3 && in[0] != NULL && in[1] != NULL && in[2] == NULL);
    CHECK(odp_pktout_queue(pktio, out, 2) == 3 && out[0] != NULL && out[1] != NULL && out[2] == NULL);
    CHECK(odp_pktin_queue(pktio, in, 4) == 3 && in[2] != NULL && in[3] == NULL);
    CHECK(odp_pktout_queue(pktio, out, 4) == 3 && out[2] != NULL && out[3] == NULL);
    CHECK(odp_pktin_queue(pktio, NULL, 0) == 3 && odp_pktout_queue(pktio, NULL, 0) == 3);
    CHECK(odp_pktin_queue_config(pktio, NULL) < 0 && odp_pktout_queue_config(pktio, NULL) < 0);
    CHECK(odp_pktio_config(pktio, NULL) < 0 && odp_pktio_start(pktio) < 0 && odp_pktio_close(pktio) < 0);
    CHECK(odp_pktio_stop(pktio) == 0 && odp_pktio_stop(pktio) < 0);
    odp_packet_t packet = odp_packet_alloc(pool, 60);
    CHECK(odp_pktout_send(out[0], &packet, 1) == 0 && odp_pktin_recv(in[0], &packet, 1) == 0);
    odp_packet_free(packet);
    CHECK(odp_pktio_close(pktio) == 0);
}

/* A port starts when both of its directions have queues; nothing is moved where nothing is asked for. */
static void test_half_configured(odp_pool_t pool) {
    for (unsigned way = 0; way < 2; way++) {
        odp_pktin_queue_t in;
        odp_pktout_queue_t out;
        odp_packet_t packet = odp_packet_alloc(pool, 60);
        odp_pktio_t pktio = odp_pktio_open("loop:half", pool, NULL);
        CHECK((way ? odp_pktin_queue_config(pktio, NULL) : odp_pktout_queue_config(pktio, NULL)) == 0);
        CHECK(REFUSED(odp_pktio_start(pktio)));
        start(pktio, 1, 1);
        CHECK(odp_pktin_queue(pktio, &in, 1) == 1 && odp_pktout_queue(pktio, &out, 1) == 1);
        CHECK(odp_pktout_send(out, &packet, 0) == 0 && odp_pktout_send(out, &packet, -1) == 0);
        CHECK(odp_pktout_send(out, &packet, 1) == 1);
        CHECK(odp_pktin_recv(in, &packet, 0) == 0 && odp_pktin_recv(in, &packet, -1) == 0);
        CHECK(odp_pktin_recv(in, &packet, 1) == 1);
        odp_packet_free(packet);
        end(pktio);
    }
}

/* What is received is parsed as far as the port is told to. */
static void test_parsing(odp_pool_t pool) {
    static const uint8_t frame[42] = {[0] = 2, [6] = 2, [12] = 8, [14] = 0x45, [17] = 28, [23] = 17, [39] = 8};
    for (odp_proto_layer_t layer = ODP_PROTO_LAYER_NONE; layer <= ODP_PROTO_LAYER_ALL; layer++) {
        odp_pktio_config_t config;
        odp_pktin_queue_t in;
        odp_pktout_queue_t out;
        odp_packet_t packet = odp_packet_alloc(pool, sizeof(frame));
        odp_pktio_t pktio = odp_pktio_open("loop:parsing", pool, NULL);
        odp_pktio_config_init(&config);
        config.parser.layer = layer;
        CHECK(odp_pktio_config(pktio, &config) == 0);
        start(pktio, 1, 1);
        memcpy(odp_packet_data(packet), frame, sizeof(frame));
        CHECK(odp_pktin_queue(pktio, &in, 1) == 1 && odp_pktout_queue(pktio, &out, 1) == 1);
        CHECK(odp_pktout_send(out, &packet, 1) == 1 && odp_pktin_recv(in, &packet, 1) == 1);
        CHECK(odp_packet_has_eth(packet) == (layer >= ODP_PROTO_LAYER_L2) && !odp_packet_has_error(packet));
        CHECK(odp_packet_has_ipv4(packet) == (layer >= ODP_PROTO_LAYER_L3));
        CHECK(odp_packet_has_udp(packet) == (layer >= ODP_PROTO_LAYER_L4));
        odp_packet_free(packet);
        end(pktio);
    }
}

/* Who waits for frames gets none as soon as the time is over, and not before; pauses become longer, up to half a
 * millisecond. */
static void test_waiting(odp_pool_t pool) {
    static const uint64_t pauses[][2] = {{10000, 20000}, {249999, 499998}, {250000, 500000}, {400000, 500000}};
    odp_pktin_queue_t in;
    odp_packet_t packet;
    odp_pktio_t pktio = odp_pktio_open("loop:waiting", pool, NULL);
    start(pktio, 1, 1);
    CHECK(odp_pktin_queue(pktio, &in, 1) == 1);
    for (uint64_t wait = 0; wait <= 3000000; wait += 1500000) {
        const uint64_t before = odp_time_global_ns();
        CHECK(odp_pktin_recv_tmo(in, &packet, 1, odp_pktin_wait_time(wait)) == 0);
        const uint64_t waited = odp_time_global_ns() - before;
        CHECK(waited >= wait && waited < wait + ODP_TIME_SEC_IN_NS);
    }
    for (unsigned i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
        uint64_t pause = pauses[i][0];
        const uint64_t before = odp_time_global_ns();
        macs_odp_wait(&in, 1, 10 * ODP_TIME_SEC_IN_NS, &pause);
        const uint64_t waited = odp_time_global_ns() - before;
        CHECK(pause == pauses[i][1] && waited >= pauses[i][0] && waited < 5 * ODP_TIME_SEC_IN_NS);
    }
    end(pktio);
}

/* A file in memory takes no more of it when its port is started again, nor leaves any behind. */
static void test_memory_of_a_file(odp_pool_t pool, const char *file) {
    char name[256];
    snprintf(name, sizeof(name), "mem:%s", file);
    const uint64_t before = mapped_bytes;
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    start(pktio, 4, 1);
    const uint64_t running = mapped_bytes;
    for (unsigned again = 0; again < 3; again++)
        CHECK(odp_pktio_stop(pktio) == 0 && odp_pktio_start(pktio) == 0 && mapped_bytes == running);
    end(pktio);
    CHECK(running > before && mapped_bytes == before);
}

/* Each output queue's counters, their sum, and all of them from a reset on. */
static void test_counts(odp_pool_t pool) {
    odp_pktout_queue_t out[2];
    odp_pktout_queue_stats_t of_queue;
    odp_pktio_stats_t stats;
    odp_pktio_t pktio = odp_pktio_open("null:counts", pool, NULL);
    start(pktio, 1, 2);
    CHECK(odp_pktout_queue(pktio, out, 2) == 2);
    for (unsigned turn = 0; turn < 2; turn++) {
        send_some(pool, out[0], 3, 100);
        send_some(pool, out[1], 5, 60);
        CHECK(odp_pktout_queue_stats(out[0], &of_queue) == 0 && of_queue.packets == 3 && of_queue.octets == 300);
        CHECK(odp_pktout_queue_stats(out[1], &of_queue) == 0 && of_queue.packets == 5 && of_queue.octets == 300);
        CHECK(odp_pktio_stats(pktio, &stats) == 0 && stats.out_packets == 8 && stats.out_octets == 600);
        CHECK(odp_pktio_stats_reset(pktio) == 0 && odp_pktio_stats(pktio, &stats) == 0);
        CHECK(stats.out_packets == 0 && stats.out_octets == 0);
    }
    /* what only interfaces count: the counters themselves */
    struct macs_odp_pktin *in = pktio->in;
    in->counters.discards = pktio->out[1].counters.discards = 4;
    in->counters.errors = pktio->out[1].counters.errors = 9;
    odp_pktin_queue_stats_t of_input;
    CHECK(odp_pktin_queue_stats(in, &of_input) == 0 && of_input.discards == 4 && of_input.errors == 9);
    CHECK(odp_pktout_queue_stats(out[1], &of_queue) == 0 && of_queue.discards == 4 && of_queue.errors == 9);
    CHECK(odp_pktio_stats(pktio, &stats) == 0 && stats.in_discards == 4 && stats.in_errors == 9);
    CHECK(stats.out_discards == 4 && stats.out_errors == 9);
    CHECK(odp_pktio_stats_reset(pktio) == 0 && odp_pktio_stats(pktio, &stats) == 0);
    CHECK(stats.in_discards == 0 && stats.in_errors == 0 && stats.out_discards == 0 && stats.out_errors == 0);
    in->counters.discards += 2, in->counters.errors += 3;
    pktio->out[0].counters.discards += 5, pktio->out[1].counters.errors += 7;
    CHECK(odp_pktin_queue_stats(in, &of_input) == 0 && of_input.discards == 2 && of_input.errors == 3);
    CHECK(odp_pktout_queue_stats(out[0], &of_queue) == 0 && of_queue.discards == 5 && of_queue.errors == 0);
    CHECK(odp_pktio_stats(pktio, &stats) == 0 && stats.in_discards == 2 && stats.in_errors == 3);
    CHECK(stats.out_discards == 5 && stats.out_errors == 7);
    end(pktio);
}

/* Which extra counters there are depends on whether the input ends, and on whether there are files. */
static void test_extra(odp_pool_t pool, const char *file) {
    odp_pktio_extra_stat_info_t info[8];
    uint64_t values[8];
    char name[256];
    snprintf(name, sizeof(name), "pcap:%s,loops=0", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    CHECK(pktio != ODP_PKTIO_INVALID && odp_pktio_extra_stat_info(pktio, info, 8) == 3);
    CHECK(strcmp(info[0].name, "broken") == 0 && strcmp(info[1].name, "tx_lost") == 0);
    CHECK(strcmp(info[2].name, "tx_lost_octets") == 0 && odp_pktio_extra_stat_info(pktio, NULL, 0) == 3);
    pktio->broken = true;
    pktio->lost = 5;
    pktio->lost_octets = 700;
    CHECK(extra(pktio, 0) == 1 && extra(pktio, 1) == 5 && extra(pktio, 2) == 700);
    CHECK(odp_pktio_extra_stats(pktio, values, 2) == 3 && values[0] == 1 && values[1] == 5);
    CHECK(odp_pktio_extra_stat_counter(pktio, 3, values) < 0 && odp_pktio_close(pktio) == 0);
    pktio = odp_pktio_open("null:extra", pool, NULL);
    CHECK(odp_pktio_extra_stat_info(pktio, info, 8) == 1 && strcmp(info[0].name, "rx_end") == 0);
    CHECK(extra(pktio, 0) == 1 && odp_pktio_close(pktio) == 0);
    pktio = odp_pktio_open("loop:extra", pool, NULL);
    CHECK(odp_pktio_extra_stat_info(pktio, info, 8) == 0 && odp_pktio_close(pktio) == 0);
}

/* A queue that has told of its end does not tell for another one. */
static void test_ends(odp_pool_t pool, const char *file) {
    odp_pktin_queue_t in[2];
    odp_packet_t packet;
    char name[256];
    snprintf(name, sizeof(name), "mem:%s", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    start(pktio, 2, 1);
    CHECK(odp_pktin_queue(pktio, in, 2) == 2);
    for (unsigned queue = 0; queue < 2; queue++) {
        while (odp_pktin_recv(in[queue], &packet, 1) == 1)
            odp_packet_free(packet);
        for (unsigned again = 0; again < 4; again++)
            CHECK(odp_pktin_recv(in[queue], &packet, 1) == 0 && extra(pktio, 0) == queue);
    }
    end(pktio);
}

/* Times where they are asked for, and only there; what a loop gives back has its port. */
static void test_times(odp_pool_t pool, const char *file) {
    for (unsigned asked = 0; asked < 3; asked++) {
        odp_pktio_config_t config;
        odp_pktin_queue_t in[2];
        odp_pktout_queue_t out;
        odp_packet_t packet;
        uint32_t from = 9;
        char name[256];
        snprintf(name, sizeof(name), "mem:%s", file);
        odp_pktio_t port[2] = {odp_pktio_open("loop:times", pool, NULL), odp_pktio_open(name, pool, NULL)};
        odp_pktio_config_init(&config);
        config.pktin.bit.ts_all = asked == 1;
        config.pktin.bit.ts_ptp = asked == 2;
        const uint64_t before = odp_time_to_ns(odp_pktio_time(port[0], NULL));
        for (unsigned i = 0; i < 2; i++) {
            CHECK(odp_pktio_config(port[i], &config) == 0);
            start(port[i], 1, 1);
            CHECK(odp_pktin_queue(port[i], &in[i], 1) == 1);
        }
        CHECK(odp_pktout_queue(port[0], &out, 1) == 1);
        send_some(pool, out, 1, 60);
        for (unsigned i = 0; i < 2; i++) {
            CHECK(odp_pktin_recv_mq_tmo(in + i, 2 - i, &from, &packet, 1, ODP_PKTIN_NO_WAIT) == 1 && from == 0);
            CHECK(odp_packet_has_ts(packet) == (asked > 0) && odp_packet_input(packet) == port[i]);
            const uint64_t came = odp_time_to_ns(odp_packet_ts(packet));
            CHECK(!asked || (came >= before && came <= odp_time_to_ns(odp_pktio_time(port[0], NULL))));
            odp_packet_free(packet);
        }
        CHECK(odp_pktin_recv_mq_tmo(in, 2, &from, &packet, 1, ODP_PKTIN_NO_WAIT) == 1 && from == 1);
        odp_packet_free(packet);
        end(port[0]);
        end(port[1]);
    }
}

static odp_pktio_t open_output(odp_pool_t pool, const char *file, odp_pktout_queue_t *out) {
    char name[256];
    snprintf(name, sizeof(name), "pcap:,%s", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    start(pktio, 1, 1);
    CHECK(odp_pktout_queue(pktio, out, 1) == 1);
    return pktio;
}

static off_t size_of(const char *file) {
    struct stat status;
    CHECK(stat(file, &status) == 0);
    return status.st_size;
}

/* What was written stays when the port is started again; what has no time of its own has the present one. */
static void test_an_output_goes_on(odp_pool_t pool, const char *begin) {
    odp_pktout_queue_t out;
    uint32_t words[6 + 2 * (4 + 15)];
    char file[256];
    snprintf(file, sizeof(file), "%s.pcap", begin);
    odp_pktio_t pktio = open_output(pool, file, &out);
    send_some(pool, out, 1, 60);
    CHECK(odp_pktio_stop(pktio) == 0 && size_of(file) == 24 + 76 && odp_pktio_start(pktio) == 0);
    send_some(pool, out, 1, 60);
    end(pktio);
    FILE *written = fopen(file, "rb");
    CHECK(written != NULL && fread(words, 1, sizeof(words) + 1, written) == sizeof(words) && fclose(written) == 0);
    for (unsigned at = 6; at < 6 + 2 * 19; at += 19)
        CHECK((uint32_t)time(NULL) - words[at] < 60 && words[at + 1] < 1000000 && words[at + 2] == 60);
}

/* 331 records of 792 bytes are 8 bytes more than the writer's buffer holds. */
static void test_records_that_just_do_not_fit(const char *begin, bool ng) {
    odp_pool_t pool = test_packet_pool(8, 776, 0, 0);
    odp_pktout_queue_t out;
    char file[256];
    snprintf(file, sizeof(file), "%s-many.%s", begin, ng ? "pcapng" : "pcap");
    odp_pktio_t pktio = open_output(pool, file, &out);
    for (unsigned sent = 0; sent < 400; sent += 8)
        send_some(pool, out, 8, 792 - (ng ? 32 : 16));
    end(pktio);
    CHECK(size_of(file) == (ng ? 60 : 24) + 400 * 792 && odp_pool_destroy(pool) == 0);
}

/* A disk that becomes full behind `room` bytes of records: those that are whole stay, the others are told to be lost.
 */
static void test_a_full_disk(odp_pool_t pool, const char *begin, bool ng, unsigned room) {
    const unsigned head = ng ? 60 : 24, record = ng ? 92 : 76, whole = room / record;
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, limit = {head + room, RLIM_INFINITY};
    odp_pktout_queue_t out;
    char file[256];
    snprintf(file, sizeof(file), "%s%u.%s", begin, room, ng ? "pcapng" : "pcap");
    odp_pktio_t pktio = open_output(pool, file, &out);
    send_some(pool, out, 5, 60);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0 && odp_pktio_stop(pktio) != 0 && setrlimit(RLIMIT_FSIZE, &none) == 0);
    CHECK(extra(pktio, 1) == 1 && extra(pktio, 2) == 5 - whole && extra(pktio, 3) == (5 - whole) * 60);
    CHECK(odp_pktio_close(pktio) == 0 && size_of(file) == (off_t)(head + whole * record));
}

/* It becomes full while frames are sent: what was written before stays, and no more is taken. */
static void test_a_disk_that_becomes_full(odp_pool_t pool, const char *begin, bool ng) {
    enum { LENGTH = 232, ROOM = 2500 };
    const unsigned head = ng ? 60 : 24, record = LENGTH + (ng ? 32 : 16);
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, limit = {head + ROOM * record + 9, RLIM_INFINITY};
    odp_pktout_queue_t out;
    odp_pktio_stats_t stats;
    char file[256];
    snprintf(file, sizeof(file), "%s-grows.%s", begin, ng ? "pcapng" : "pcap");
    odp_pktio_t pktio = open_output(pool, file, &out);
    unsigned sent = 0;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (unsigned refused = 0; refused < 3;) {
        odp_packet_t packet = odp_packet_alloc(pool, LENGTH);
        const int taken = odp_pktout_send(out, &packet, 1);
        sent += taken == 1;
        if (taken == 1 && sent < 2 * ROOM)
            continue;
        CHECK(taken == -1 && odp_errno() == (refused++ ? EIO : EFBIG));
        odp_packet_free(packet);
    }
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0 && sent > ROOM && odp_pktio_stop(pktio) != 0);
    CHECK(extra(pktio, 1) == 1 && extra(pktio, 2) == sent - ROOM && extra(pktio, 3) == (sent - ROOM) * LENGTH);
    CHECK(odp_pktio_stats(pktio, &stats) == 0 && stats.out_packets == sent && stats.out_octets == sent * LENGTH);
    CHECK(odp_pktio_close(pktio) == 0 && size_of(file) == (off_t)(head + ROOM * record));
}

/* A head that could not be written is no frame that was lost, and the port does not start. */
static void test_a_disk_without_room(odp_pool_t pool, const char *begin, bool ng) {
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, limit = {10, RLIM_INFINITY};
    char file[256], name[300];
    snprintf(file, sizeof(file), "%s-none.%s", begin, ng ? "pcapng" : "pcap");
    snprintf(name, sizeof(name), "pcap:,%s", file);
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    CHECK(odp_pktin_queue_config(pktio, NULL) == 0 && odp_pktout_queue_config(pktio, NULL) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0 && odp_pktio_start(pktio) != 0 && odp_errno() == EFBIG);
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0 && odp_pktio_stop(pktio) != 0 && odp_pktio_start(pktio) != 0);
    CHECK(extra(pktio, 2) == 0 && extra(pktio, 3) == 0 && odp_pktio_close(pktio) == 0 && size_of(file) <= 10);
}

/* A port that cannot be opened leaves nothing open. */
static void test_ports_that_are_refused(odp_pool_t pool, const char *file, const char *begin) {
    static const char *const forms[] = {"pcap:%s,/nowhere/file",
                                        "pcap:/nowhere/file,%s",
                                        "pcap:%s,%s-out,more",
                                        "mem:/nowhere/file",
                                        "mem:%s,lop",
                                        "paced:%s,/nowhere/file",
                                        "paced:%s,%s",
                                        "tap:",
                                        "af_packet:nosuchinterface",
                                        "af_xdp:nosuchif0",
                                        "no:%s"};
    const unsigned before = test_open_descriptors();
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        char name[600];
        const char *comma = strchr(forms[i], ','), *first = comma != NULL ? file : begin;
        snprintf(name, sizeof(name), forms[i], first, begin);
        CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_pktio_lookup(name) == ODP_PKTIO_INVALID);
        CHECK(test_open_descriptors() == before);
    }
}

/* A port of AF_XDP wants packets of some size, of which the file tells before it looks for the interface. */
static void test_pools_for_af_xdp(void) {
    static const char few[] =
        "port af_xdp:nosuchif0: AF_XDP needs a pool whose packets hold 1792 bytes and take at most 64 kB\n";
    static const char none[] = "port af_xdp:nosuchif0: no interface \"nosuchif0\": No such device\n";
    static const struct {
        uint32_t length;
        const char *words;
    } pools[] = {{1728, few}, {1729, none}, {1792, none}, {64960, none}, {65088, few}};
    odp_log_thread_fn_set(keep_told);
    for (unsigned i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        odp_pool_t pool = test_packet_pool(4, pools[i].length, 0, 0);
        CHECK(odp_pktio_open("af_xdp:nosuchif0", pool, NULL) == ODP_PKTIO_INVALID && has_told(pools[i].words));
        CHECK(odp_errno() == (pools[i].words == few ? EINVAL : ENODEV) && odp_pool_destroy(pool) == 0);
    }
    odp_log_thread_fn_set(NULL);
}

static void test_addresses(odp_pool_t pool) {
    uint8_t mac[7] = {9, 9, 9, 9, 9, 9, 9}, other[6];
    odp_pktio_t pktio = odp_pktio_open("loop:address", pool, NULL);
    CHECK(odp_pktio_mac_addr(pktio, mac, 5) < 0 && mac[0] == 9);
    CHECK(odp_pktio_mac_addr(pktio, mac, 6) == 6 && mac[0] == 2 && mac[6] == 9);
    odp_pktio_t second = odp_pktio_open("loop:other", pool, NULL); /* each has its own */
    CHECK(odp_pktio_mac_addr(second, other, 6) == 6 && memcmp(mac, other, 6) != 0 && odp_pktio_close(second) == 0);
    CHECK(odp_pktio_mac_addr(pktio, mac, 7) == 6 && odp_pktio_close(pktio) == 0);
    pktio = odp_pktio_open("null:address", pool, NULL);
    CHECK(odp_pktio_mac_addr(pktio, mac, 6) < 0 && odp_pktio_close(pktio) == 0);
}

/* An instance that ends abnormally writes what was sent; from a signal's handler it touches nothing. */
static void test_abnormal_ends(odp_pool_t pool, const char *begin) {
    char file[256];
    snprintf(file, sizeof(file), "%s-abnormal.pcap", begin);
    for (unsigned way = 0; way < 2; way++) {
        int status;
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            odp_pktout_queue_t out;
            open_output(pool, file, &out);
            send_some(pool, out, 2, 60);
            CHECK(odp_term_abnormal(test_instance, way ? ODP_TERM_FROM_SIGH : 0, NULL) == 0);
            _exit(17);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 17);
        CHECK(size_of(file) == 24 + (way ? 0 : 2 * 76));
    }
}

/* A copy is cut into segments as what it is of; a part of it is a frame. */
static void test_segments(odp_pool_t pool) {
    odp_packet_t packet = odp_packet_alloc(pool, 60);
    macs_odp_segment_change(packet, 20);
    odp_packet_t copy = odp_packet_copy(packet, pool), part = odp_packet_copy_part(packet, 0, 60, pool);
    CHECK(macs_odp_segment(copy) == 20 && macs_odp_segment(part) == 0);
    odp_packet_free_multi((odp_packet_t[]){packet, copy, part}, 3);
    packet = odp_packet_alloc(pool, 60);
    CHECK(macs_odp_segment(packet) == 0);
    odp_packet_free(packet);
}

static void test_texts(void) {
    odp_pool_param_t param;
    odp_queue_param_t of_queue;
    odp_pool_param_init(&param);
    param.pkt.num = 8;
    param.pkt.len = 256;
    param.pkt.cache_size = 0;
    odp_log_thread_fn_set(keep_told);
    CHECK(odp_pool_destroy(ODP_POOL_INVALID) < 0);
    odp_errno_print("it");
    CHECK(has_told("it: Invalid argument\n"));
    odp_errno_print(NULL);
    CHECK(has_told("Invalid argument\n"));
    odp_queue_print_all(); /* there are none, nor others of these */
    odp_shm_print_all();
    odp_pool_print_all();
    CHECK(has_told(""));
    odp_pool_t pool = odp_pool_create("some", &param);
    odp_queue_param_init(&of_queue);
    of_queue.size = 8;
    odp_queue_t queue = odp_queue_create("full", &of_queue);
    odp_packet_t packet = odp_packet_alloc(pool, 20);
    memcpy(odp_packet_data(packet), "0123456789:;<=>?@ABC", 20);
    for (unsigned turn = 0; turn < 3; turn++) /* what has gone does not count */
        CHECK(odp_queue_enq(queue, odp_packet_to_event(packet)) == 0 && (turn == 2 || odp_queue_deq(queue) != NULL));
    odp_queue_print(queue);
    CHECK(has_told("queue 0 \"full\": 1 of 8 events\n"));
    odp_queue_print_all();
    CHECK(has_told("queue 0 \"full\": 1 of 8 events\n"));
    CHECK(odp_queue_deq(queue) == odp_packet_to_event(packet) && odp_queue_destroy(queue) == 0);
    odp_packet_print_data(packet, 1, 19);
    CHECK(has_told("0001: 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f 40\n0011: 41 42 43\n"));
    odp_packet_print_data(packet, 1, 20);
    CHECK(has_told(""));
    odp_packet_print(packet);
    CHECK(has_told("packet 0 of pool some: 20 bytes, headroom 256, tailroom 236, input -1\n"));
    odp_pool_print(pool);
    CHECK(strstr(told, "\"some\": packets, 8 objects of 512 bytes each ") != NULL);
    CHECK(strstr(told, ", 7 free, 0 cached, ") != NULL);
    told[0] = '\0';
    odp_pktio_t pktio = odp_pktio_open("null:texts", pool, NULL);
    odp_pktout_queue_t out;
    start(pktio, 1, 1);
    CHECK(odp_pktout_queue(pktio, &out, 1) == 1 && odp_pktout_send(out, &packet, 1) == 1);
    odp_pktio_print(pktio);
    CHECK(has_told("port 0 \"null:texts\": in 0 packets, out 1 packets\n"));
    end(pktio);
    odp_shm_t shm = odp_shm_reserve("block", 100, 0, 0);
    odp_shm_print(shm);
    CHECK(strncmp(told, "shm \"block\": 0x", 15) == 0 && strstr(told, ", 100 bytes, 4 kB pages\n") != NULL);
    CHECK(odp_shm_free(shm) == 0 && odp_pool_destroy(pool) == 0);
    odp_log_thread_fn_set(NULL);
}

int main(int argc, char **argv) {
    CHECK(argc == 3 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    const unsigned before = test_open_descriptors();
    test_begin();
    odp_pool_t pool = test_packet_pool(64, 256, 0, 0);
    test_ports_that_are_refused(pool, argv[1], argv[2]);
    test_queues(pool);
    test_half_configured(pool);
    test_parsing(pool);
    test_waiting(pool);
    test_memory_of_a_file(pool, argv[1]);
    test_pools_for_af_xdp();
    test_counts(pool);
    test_extra(pool, argv[1]);
    test_ends(pool, argv[1]);
    test_times(pool, argv[1]);
    test_addresses(pool);
    test_segments(pool);
    test_an_output_goes_on(pool, argv[2]);
    test_abnormal_ends(pool, argv[2]);
    for (unsigned ng = 0; ng < 2; ng++) {
        test_records_that_just_do_not_fit(argv[2], ng);
        test_a_disk_without_room(pool, argv[2], ng);
        test_a_disk_that_becomes_full(pool, argv[2], ng);
        for (unsigned more = 0; more < 20; more += 19)
            test_a_full_disk(pool, argv[2], ng, 2 * (ng ? 92 : 76) + more);
    }
    CHECK(odp_pool_destroy(pool) == 0);
    test_texts();
    test_end();
    CHECK(test_open_descriptors() == before && mapped_bytes == 0);
    return 0;
}
