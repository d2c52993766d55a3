/* What this implementation takes and what it refuses: the last value of each limit and the first one beyond it. */
#include "check.h"

#include <errno.h>

static uint8_t key[16];

/* --- queues ---------------------------------------------------------------------------------------------------------
 */

static void test_queues(void) {
    odp_queue_capability_t capa;
    odp_queue_param_t param, good_and_bad[2];
    odp_queue_info_t info;
    odp_queue_t made[2];
    odp_event_t event;
    CHECK(odp_queue_capability(&capa) == 0);
    odp_queue_param_init(&param);
    param.size = capa.plain.max_size;
    odp_queue_t queue = odp_queue_create("largest", &param);
    CHECK(queue != ODP_QUEUE_INVALID && odp_queue_context_set(queue, made, sizeof(made)) == 0);
    CHECK(odp_queue_info(queue, &info) == 0 && info.param.context_len == sizeof(made) && info.param.context == made);
    CHECK(odp_queue_enq_multi(queue, &event, -1) < 0 && odp_queue_deq_multi(queue, &event, -1) < 0);
    CHECK(odp_queue_enq_multi(queue, &event, 0) == 0 && odp_queue_deq_multi(queue, &event, 0) == 0);
    CHECK(odp_queue_destroy(queue) == 0 && odp_queue_destroy(ODP_QUEUE_INVALID) < 0);
    odp_queue_param_init(&good_and_bad[0]);
    good_and_bad[1] = good_and_bad[0];
    good_and_bad[1].size = capa.plain.max_size + 1;
    CHECK(odp_queue_create_multi(NULL, good_and_bad, false, made, 2) == 1 && odp_queue_destroy(made[0]) == 0);
    CHECK(odp_queue_create_multi(NULL, good_and_bad + 1, true, made, 2) == -1);
    CHECK(odp_queue_create_multi(NULL, good_and_bad, true, made, 0) == 0);
    CHECK(odp_queue_create_multi(NULL, good_and_bad, true, made, -1) == -1);
    CHECK(odp_queue_destroy_multi(made, 0) == -1);
    param = good_and_bad[0];
    param.type = ODP_QUEUE_TYPE_SCHED;
    CHECK(odp_queue_create(NULL, &param) == ODP_QUEUE_INVALID);
    param = good_and_bad[0];
    param.nonblocking = ODP_NONBLOCKING_LF;
    CHECK(odp_queue_create(NULL, &param) == ODP_QUEUE_INVALID);
}

static void test_all_queues(void) {
    odp_queue_capability_t capa;
    odp_queue_param_t param;
    CHECK(odp_queue_capability(&capa) == 0);
    odp_queue_param_init(&param);
    param.size = 1;
    odp_queue_t queues[capa.max_queues];
    for (uint32_t i = 0; i < capa.max_queues; i++)
        CHECK((queues[i] = odp_queue_create(NULL, &param)) != ODP_QUEUE_INVALID);
    CHECK(odp_queue_create(NULL, &param) == ODP_QUEUE_INVALID);
    CHECK(odp_queue_destroy(queues[7]) == 0);
    CHECK((queues[7] = odp_queue_create(NULL, &param)) != ODP_QUEUE_INVALID);
    CHECK(odp_queue_destroy_multi(queues, (int)capa.max_queues) == (int)capa.max_queues);
}

static void test_a_full_queue_is_not_destroyed(void) {
    odp_queue_param_t param;
    odp_pool_t pool = test_packet_pool(16, 256, 0, 0);
    odp_queue_param_init(&param);
    param.size = 4;
    odp_queue_t queue = odp_queue_create(NULL, &param);
    for (int i = 0; i < 4; i++)
        CHECK(odp_queue_enq(queue, odp_packet_to_event(odp_packet_alloc(pool, 60))) == 0);
    odp_event_t more[2] = {odp_packet_to_event(odp_packet_alloc(pool, 60)), ODP_EVENT_INVALID};
    CHECK(odp_queue_enq(queue, more[0]) < 0 && odp_queue_enq_multi(queue, more, 1) == 0);
    CHECK(odp_queue_destroy_multi(&queue, 1) == -1 && odp_queue_len(queue) == 4);
    odp_event_free(more[0]);
    for (int i = 0; i < 4; i++)
        odp_event_free(odp_queue_deq(queue));
    CHECK(odp_queue_destroy_multi(&queue, 1) == 1 && odp_pool_destroy(pool) == 0);
}

/* --- pools ----------------------------------------------------------------------------------------------------------
 */

static bool pool_is_made(const odp_pool_param_t *param) {
    odp_pool_t pool = odp_pool_create(NULL, param);
    CHECK(pool == ODP_POOL_INVALID || odp_pool_destroy(pool) == 0);
    return pool != ODP_POOL_INVALID;
}

static void test_packet_pools(void) {
    odp_pool_capability_t capa;
    odp_pool_param_t good, param;
    CHECK(odp_pool_capability(&capa) == 0);
    odp_pool_param_init(&good);
    good.type = ODP_POOL_PACKET;
    good.pkt.num = 4;
    good.pkt.len = 100;
    good.pkt.cache_size = 0;
#define TAKES(field, last, beyond)                                                                                     \
    do {                                                                                                               \
        param = good;                                                                                                  \
        param.field = (last);                                                                                          \
        CHECK(pool_is_made(&param));                                                                                   \
        param.field = (beyond);                                                                                        \
        CHECK(!pool_is_made(&param));                                                                                  \
    } while (0)
    TAKES(pkt.num, 1, 0);
    TAKES(pkt.num, 4, capa.pkt.max_num + 1);
    TAKES(pkt.max_num, 4, 3);
    TAKES(pkt.max_len, 100, 99);
    TAKES(pkt.len, capa.pkt.max_len, capa.pkt.max_len + 1);
    TAKES(pkt.headroom, capa.pkt.max_headroom, capa.pkt.max_headroom + 1);
    TAKES(pkt.uarea_size, capa.pkt.max_uarea_size, capa.pkt.max_uarea_size + 1);
    TAKES(pkt.cache_size, capa.pkt.max_cache_size, capa.pkt.max_cache_size + 1);
    TAKES(pkt.align, 32, 48);
    TAKES(pkt.align, capa.pkt.max_align, capa.pkt.max_align * 2);
    TAKES(pkt.num_subparam, 0, 1);
    CHECK(capa.pkt.max_segs_per_pkt == 1);
    odp_pool_param_init(&param);
    CHECK(param.pkt.cache_size > 0 && param.pkt.cache_size == param.buf.cache_size);
    odp_pool_param_init(&good);
    good.type = ODP_POOL_BUFFER;
    good.buf.num = 4;
    good.buf.size = 100;
    good.buf.cache_size = 0;
    TAKES(buf.num, 1, 0);
    TAKES(buf.num, 4, capa.buf.max_num + 1);
    TAKES(buf.size, capa.buf.max_size, capa.buf.max_size + 1);
    TAKES(buf.uarea_size, capa.buf.max_uarea_size, capa.buf.max_uarea_size + 1);
    TAKES(buf.cache_size, capa.buf.max_cache_size, capa.buf.max_cache_size + 1);
    TAKES(buf.align, 32, 48);
    TAKES(buf.align, capa.buf.max_align, capa.buf.max_align * 2);
}

/* What a pool is asked for beyond what it has anyway; and where its packets lie. */
static void test_what_packets_have(void) {
    odp_pool_param_t param;
    odp_pool_info_t info;
    odp_packet_t pkt[2];
    odp_pool_param_init(&param);
    param.pkt.num = 4;
    param.pkt.len = 100;
    param.pkt.max_len = 150;
    param.pkt.seg_len = 300; /* there is room for more, which is not asked for */
    param.pkt.headroom = 1000;
    param.pkt.cache_size = 0;
    odp_pool_t pool = odp_pool_create(NULL, &param);
    CHECK(pool != ODP_POOL_INVALID && odp_packet_alloc(pool, 151) == ODP_PACKET_INVALID);
    CHECK(odp_packet_alloc_multi(pool, 150, pkt, 2) == 2 && odp_packet_headroom(pkt[0]) >= 1000);
    CHECK(odp_pool_info(pool, &info) == 0 && (info.max_data_addr + 1 - info.min_data_addr) % 4096 == 0);
    CHECK(info.max_data_addr - info.min_data_addr < 4 << 20);
    for (int i = 0; i < 2; i++) {
        const uintptr_t data = (uintptr_t)odp_packet_data(pkt[i]);
        CHECK(data >= info.min_data_addr && data + 150 <= info.max_data_addr + 1);
    }
    /* the object behind the last one that was made is none */
    const uintptr_t first = (uintptr_t)pkt[0], second = (uintptr_t)pkt[1];
    const uintptr_t next = first < second ? second + (second - first) : first + (first - second);
    CHECK(odp_packet_is_valid(pkt[0]) == 1 && odp_packet_is_valid((odp_packet_t)next) == 0);
    CHECK(odp_packet_extend_head(&pkt[0], odp_packet_headroom(pkt[0]), NULL, NULL) == 0); /* all, but no more */
    CHECK(odp_packet_extend_tail(&pkt[1], odp_packet_tailroom(pkt[1]), NULL, NULL) == 0);
    odp_packet_free_multi(pkt, 2);
    CHECK(odp_pool_destroy(pool) == 0);
}

static void test_statistics_of_pools(void) {
    odp_pool_param_t param;
    odp_pool_stats_t stats;
    odp_pool_stats_selected_t selected;
    odp_pool_stats_opt_t wanted = {.bit = {.available = 1}};
    odp_pool_param_init(&param);
    param.pkt.num = 8;
    param.pkt.len = 100;
    param.pkt.cache_size = 0;
    param.pkt.seg_len = 0;
    param.stats.bit.available = 1;
    param.stats.bit.thread_cache_available = 1;
    odp_pool_t pool = odp_pool_create(NULL, &param);
    CHECK(pool != ODP_POOL_INVALID);
    static const struct {
        uint16_t first, last;
        int status;
    } ranges[] = {{0, 0, 0},
                  {3, 2, -1},
                  {2, 3, 0},
                  {0, ODP_THREAD_COUNT_MAX, -1},
                  {ODP_THREAD_COUNT_MAX - 1, ODP_THREAD_COUNT_MAX - 1, 0}};
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        stats.thread.first = ranges[i].first;
        stats.thread.last = ranges[i].last;
        CHECK(odp_pool_stats(pool, &stats) == ranges[i].status);
        CHECK(ranges[i].status || (stats.available == 8 && stats.cache_available == 0));
    }
    for (unsigned taken = 1; taken <= 8; taken += 7) { /* a thread keeps none of those that it gives back */
        odp_packet_t packets[8];
        CHECK(odp_packet_alloc_multi(pool, 100, packets, (int)taken) == (int)taken);
        CHECK(odp_pool_stats_selected(pool, &selected, &wanted) == 0 && selected.available == 8 - taken);
        odp_packet_free_multi(packets, (int)taken);
        stats.thread.first = stats.thread.last = (uint16_t)odp_thread_id();
        CHECK(odp_pool_stats(pool, &stats) == 0 && stats.available == 8 && stats.thread.cache_available[0] == 0);
    }
    CHECK(odp_pool_stats_selected(pool, &selected, &wanted) == 0 && selected.available == 8);
    wanted.bit.cache_available = 1; /* was not asked for when the pool was made */
    CHECK(odp_pool_stats_selected(pool, &selected, &wanted) < 0);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* --- names, blocks of memory, CPUs, checksums -----------------------------------------------------------------------
 */

/* A name that is too long is cut off, wherever it is kept. */
static void test_names(void) {
    char name[300];
    odp_queue_info_t queue_info;
    odp_pool_info_t pool_info;
    odp_shm_info_t shm_info;
    odp_pool_param_t param;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    odp_pool_param_init(&param);
    param.pkt.num = 4;
    odp_queue_t queue = odp_queue_create(name, NULL);
    odp_pool_t pool = odp_pool_create(name, &param);
    odp_shm_t shm = odp_shm_reserve(name, 1000, 0, 0);
    CHECK(odp_queue_info(queue, &queue_info) == 0 && strlen(queue_info.name) == ODP_QUEUE_NAME_LEN - 1);
    CHECK(odp_pool_info(pool, &pool_info) == 0 && strlen(pool_info.name) == ODP_POOL_NAME_LEN - 1);
    CHECK(odp_shm_info(shm, &shm_info) == 0 && strlen(shm_info.name) == ODP_SHM_NAME_LEN - 1);
    CHECK(shm_info.size == 1000);
    CHECK(odp_queue_destroy(queue) == 0 && odp_pool_destroy(pool) == 0 && odp_shm_free(shm) == 0);
}

static bool shm_is_made(uint64_t size, uint64_t align, uint32_t flags) {
    odp_shm_t shm = odp_shm_reserve(NULL, size, align, flags);
    CHECK(shm == ODP_SHM_INVALID ||
          ((uintptr_t)odp_shm_addr(shm) % (align ? align : 1) == 0 && odp_shm_free(shm) == 0));
    return shm != ODP_SHM_INVALID;
}

static void test_blocks(void) {
    odp_shm_capability_t capa;
    CHECK(odp_shm_capability(&capa) == 0);
    CHECK(shm_is_made(1, 0, 0) && !shm_is_made(0, 0, 0) && !shm_is_made(UINT64_MAX, 0, 0));
    CHECK(shm_is_made(100, 1u << 22, 0) && !shm_is_made(100, 48, 0) && !shm_is_made(100, UINT64_C(1) << 41, 0));
    CHECK(shm_is_made(100, 0, ODP_SHM_NO_HP | ODP_SHM_SINGLE_VA) && !shm_is_made(100, 0, ODP_SHM_NO_HP | ODP_SHM_HP));
    CHECK(odp_errno() == EINVAL);
    CHECK(!shm_is_made(100, 0, ~(uint32_t)(ODP_SHM_NO_HP | ODP_SHM_HP | ODP_SHM_SINGLE_VA)));
    odp_shm_t huge = odp_shm_reserve(NULL, 100, 0, ODP_SHM_HP); /* there may be none */
    odp_shm_info_t info;
    CHECK(huge == ODP_SHM_INVALID || (odp_shm_info(huge, &info) == 0 && info.page_size > 4096));
    CHECK(huge == ODP_SHM_INVALID || odp_shm_free(huge) == 0);
    odp_shm_t shm[capa.max_blocks];
    for (uint32_t i = 0; i < capa.max_blocks; i++)
        CHECK((shm[i] = odp_shm_reserve(NULL, 1, 0, 0)) != ODP_SHM_INVALID);
    CHECK(odp_shm_reserve(NULL, 1, 0, 0) == ODP_SHM_INVALID && odp_shm_free(ODP_SHM_INVALID) < 0);
    for (uint32_t i = 0; i < capa.max_blocks; i++)
        CHECK(odp_shm_free(shm[i]) == 0);
    CHECK(odp_shm_free(shm[0]) < 0);
}

static void test_cpus(void) {
    odp_cpumask_t all, mask;
    char text[ODP_CPUMASK_SIZE / 4 + 64];
    memset(text, 'f', sizeof(text) - 1); /* more digits than there are CPUs */
    text[sizeof(text) - 1] = '\0';
    odp_cpumask_from_str(&mask, text);
    CHECK(odp_cpumask_count(&mask) == ODP_CPUMASK_SIZE);
    odp_cpumask_zero(&mask);
    CHECK(odp_cpumask_to_str(&mask, text, 4) == 4 && strcmp(text, "0x0") == 0 &&
          odp_cpumask_to_str(&mask, text, 3) < 0);
    const int count = odp_cpumask_all_available(&all); /* all but the first are for workers, if there are more */
    CHECK(odp_cpumask_default_worker(&mask, 0) == (count > 1 ? count - 1 : 1));
    CHECK(odp_cpumask_isset(&mask, odp_cpumask_first(&all)) == (count == 1));
    CHECK(odp_cpumask_default_control(&mask, 0) == 1 && odp_cpumask_isset(&mask, odp_cpumask_first(&all)));
}

/* Text that is no number is no CPU; a CPU that a set has no place for is in none. */
static void test_sets(void) {
    odp_cpumask_t mask, before;
    odp_cpumask_from_str(&mask, "0XfE");
    CHECK(odp_cpumask_count(&mask) == 7 && odp_cpumask_first(&mask) == 1 && odp_cpumask_last(&mask) == 7);
    odp_cpumask_from_str(&mask, "aBc");
    CHECK(odp_cpumask_count(&mask) == 7 && odp_cpumask_first(&mask) == 2 && odp_cpumask_last(&mask) == 11);
    CHECK(odp_cpumask_next(&mask, -5) == 2 && odp_cpumask_next(&mask, 5) == 7 && odp_cpumask_next(&mask, 11) == -1);
    odp_cpumask_copy(&before, &mask);
    odp_cpumask_set(&mask, -1);
    odp_cpumask_set(&mask, ODP_CPUMASK_SIZE);
    CHECK(odp_cpumask_equal(&mask, &before));
    odp_cpumask_setall(&before);
    odp_cpumask_setall(&mask);
    odp_cpumask_clr(&mask, -1);
    odp_cpumask_clr(&mask, ODP_CPUMASK_SIZE);
    CHECK(odp_cpumask_equal(&mask, &before));
    CHECK(!odp_cpumask_isset(&mask, -1) && !odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE));
    CHECK(odp_cpumask_isset(&mask, 0) && odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE - 1));
    static const char *const none[] = {"12g", "0x1 ", "", "0x", "-1", "1/", "1:", "@", "`"};
    for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        odp_cpumask_setall(&mask);
        odp_cpumask_from_str(&mask, none[i]);
        CHECK(odp_cpumask_count(&mask) == 0);
    }
}

static void test_widths(void) {
    odp_hash_crc_param_t param = {.width = 64, .poly = 1};
    uint64_t crc;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) == 0);
    param.width = 1;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) == 0);
    param.width = 65;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) < 0);
    param.width = 0;
    CHECK(odp_hash_crc_gen64("1", 1, 0, &param, &crc) < 0);
}

/* --- ports ----------------------------------------------------------------------------------------------------------
 */

static void test_opening(odp_pool_t pool) {
    enum { LONGEST = 255 };
    static const struct {
        odp_pktin_mode_t in;
        odp_pktout_mode_t out;
        bool fine;
    } modes[] = {{ODP_PKTIN_MODE_DIRECT, ODP_PKTOUT_MODE_DIRECT, true},
                 {ODP_PKTIN_MODE_DISABLED, ODP_PKTOUT_MODE_DIRECT, true},
                 {ODP_PKTIN_MODE_DIRECT, ODP_PKTOUT_MODE_DISABLED, true},
                 {ODP_PKTIN_MODE_SCHED, ODP_PKTOUT_MODE_DIRECT, false},
                 {ODP_PKTIN_MODE_QUEUE, ODP_PKTOUT_MODE_DIRECT, false},
                 {ODP_PKTIN_MODE_DIRECT, ODP_PKTOUT_MODE_QUEUE, false},
                 {ODP_PKTIN_MODE_DISABLED, ODP_PKTOUT_MODE_TM, false}};
    odp_pool_param_t param;
    odp_pktio_t pktio;
    char name[LONGEST + 2] = "null:";
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        odp_pktio_param_t wanted = {modes[i].in, modes[i].out};
        pktio = odp_pktio_open("null:modes", pool, &wanted);
        CHECK((pktio != ODP_PKTIO_INVALID) == modes[i].fine);
        CHECK(modes[i].fine ? odp_pktio_close(pktio) == 0 : odp_errno() == EINVAL);
    }
    odp_pool_param_init(&param);
    param.type = ODP_POOL_BUFFER;
    param.buf.num = 4;
    odp_pool_t buffers = odp_pool_create(NULL, &param);
    CHECK(odp_pktio_open("null:", buffers, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    CHECK(odp_pktio_open("null:", ODP_POOL_INVALID, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    CHECK(odp_pool_destroy(buffers) == 0);
    memset(name + 5, 'n', LONGEST - 5 + 1);
    CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EINVAL);
    name[LONGEST] = '\0';
    CHECK((pktio = odp_pktio_open(name, pool, NULL)) != ODP_PKTIO_INVALID && odp_pktio_lookup(name) == pktio);
    CHECK(odp_pktio_open(name, pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == EBUSY);
    CHECK(odp_pktio_close(pktio) == 0 && odp_pktio_lookup(name) == ODP_PKTIO_INVALID);
    CHECK(odp_pktio_open("none:", pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == ENODEV);
    CHECK(odp_pktio_open("null", pool, NULL) == ODP_PKTIO_INVALID); /* an interface's name */
}

static void test_all_ports(odp_pool_t pool) {
    odp_pktio_t ports[ODP_PKTIO_MAX_INDEX + 1];
    char name[32];
    for (int i = 0; i <= ODP_PKTIO_MAX_INDEX; i++) {
        snprintf(name, sizeof(name), "null:%d", i);
        CHECK((ports[i] = odp_pktio_open(name, pool, NULL)) != ODP_PKTIO_INVALID && odp_pktio_index(ports[i]) == i);
    }
    CHECK(odp_pktio_open("null:more", pool, NULL) == ODP_PKTIO_INVALID && odp_errno() == ENOSPC);
    CHECK(odp_pktio_close(ports[7]) == 0 && odp_pktio_lookup("null:8") == ports[8]);
    CHECK((ports[7] = odp_pktio_open("null:7", pool, NULL)) != ODP_PKTIO_INVALID && odp_pktio_index(ports[7]) == 7);
    for (int i = 0; i <= ODP_PKTIO_MAX_INDEX; i++)
        CHECK(odp_pktio_close(ports[i]) == 0);
}

static bool has_eth; /* of what a loop has given back */

/* Whether frames that a loop gives back have a time. */
static bool stamps(odp_pktio_t port, odp_pool_t pool) {
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
    odp_packet_t packet = odp_packet_alloc(pool, 60);
    CHECK(odp_pktin_queue(port, &in, 1) == 1 && odp_pktout_queue(port, &out, 1) == 1);
    CHECK(odp_pktio_start(port) == 0 && odp_pktout_send(out, &packet, 1) == 1 && odp_pktin_recv(in, &packet, 1) == 1);
    const bool has = odp_packet_has_ts(packet);
    has_eth = odp_packet_has_eth(packet);
    odp_packet_free(packet);
    CHECK(odp_pktio_stop(port) == 0);
    return has;
}

/* What is refused leaves the configuration as it was; without one a port has that of the beginning again. */
static void test_configurations(odp_pool_t pool) {
    odp_pktio_t port = odp_pktio_open("loop:configured", pool, NULL);
    odp_pktio_capability_t capa;
    odp_pktio_config_t good, config;
    CHECK(odp_pktin_queue_config(port, NULL) == 0 && odp_pktout_queue_config(port, NULL) == 0);
    CHECK(odp_pktio_capability(port, &capa) == 0 && !stamps(port, pool) && has_eth); /* all is parsed */
    odp_pktio_config_init(&good);
    CHECK(good.parser.layer == ODP_PROTO_LAYER_ALL && good.pktin.all_bits == 0 && good.pktout.all_bits == 0);
    good.pktin.bit.ts_all = 1;
    good.pktout.bit.no_packet_refs = 1;
    good.parser.layer = ODP_PROTO_LAYER_NONE;
    CHECK(odp_pktio_config(port, &good) == 0 && stamps(port, pool) && !has_eth);
    odp_pktin_config_opt_t in = {.bit = {.ts_all = 1, .ts_ptp = 1}};
    odp_pktout_config_opt_t out = {.bit = {.no_packet_refs = 1}};
    CHECK(capa.config.pktin.all_bits == in.all_bits && capa.config.pktout.all_bits == out.all_bits);
    for (unsigned bit = 0; bit < 128; bit++) {
        const uint64_t one = (uint64_t)1 << bit % 64, known = bit < 64 ? in.all_bits : out.all_bits;
        odp_pktio_config_init(&config);
        *(bit < 64 ? &config.pktin.all_bits : &config.pktout.all_bits) |= one;
        if (!(known & one))
            CHECK(odp_pktio_config(port, &config) < 0 && odp_errno() == ENOTSUP);
    }
    for (unsigned what = 0; what < 4; what++) {
        odp_pktio_config_init(&config);
        config.enable_loop = what == 0;
        config.enable_lso = what == 1;
        config.flow_control.pause_rx = what == 2 ? ODP_PKTIO_LINK_PAUSE_ON : ODP_PKTIO_LINK_PAUSE_OFF;
        config.flow_control.pause_tx = what == 3 ? ODP_PKTIO_LINK_PAUSE_ON : ODP_PKTIO_LINK_PAUSE_OFF;
        CHECK(odp_pktio_config(port, &config) < 0 && odp_errno() == ENOTSUP);
    }
    CHECK(stamps(port, pool) && !has_eth);
    CHECK(odp_pktio_config(port, NULL) == 0 && !stamps(port, pool) && has_eth);
    CHECK(odp_pktio_config(ODP_PKTIO_INVALID, &good) < 0 && odp_errno() == EINVAL);
    CHECK(odp_pktio_start(port) == 0 && odp_pktio_config(port, &good) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktin_queue_config(port, NULL) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktout_queue_config(port, NULL) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktio_close(port) < 0 && odp_errno() == EBUSY);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0);
}

static void test_queues_of_ports(odp_pool_t pool) {
    odp_pktio_t port = odp_pktio_open("null:queues", pool, NULL);
    odp_pktio_capability_t capa;
    odp_pktin_queue_param_t in, bad_in;
    odp_pktout_queue_param_t out, bad_out;
    CHECK(odp_pktio_capability(port, &capa) == 0);
    CHECK(capa.max_input_queues == ODP_PKTIN_MAX_QUEUES && capa.max_output_queues == ODP_PKTOUT_MAX_QUEUES);
    odp_pktin_queue_param_init(&in);
    odp_pktout_queue_param_init(&out);
    in.num_queues = capa.max_input_queues;
    in.hash_enable = 1;
    out.num_queues = capa.max_output_queues;
    CHECK(odp_pktin_queue_config(port, &in) == 0 && odp_pktin_queue(port, NULL, 0) == (int)in.num_queues);
    CHECK(odp_pktout_queue_config(port, &out) == 0 && odp_pktout_queue(port, NULL, 0) == (int)out.num_queues);
    in.num_queues = out.num_queues = 3;
    in.queue_size[3] = out.queue_size[3] = 5; /* of a queue that there is not */
    CHECK(odp_pktin_queue_config(port, &in) == 0 && odp_pktout_queue_config(port, &out) == 0);
    for (unsigned what = 0; what < 5; what++) {
        bad_in = in;
        bad_out = out;
        if (what == 0)
            bad_in.num_queues = bad_out.num_queues = 0;
        else if (what == 1)
            bad_in.num_queues = capa.max_input_queues + 1, bad_out.num_queues = capa.max_output_queues + 1;
        else if (what < 4)
            bad_in.queue_size[what == 2 ? 0 : 2] = bad_out.queue_size[what == 2 ? 0 : 2] = 5;
        else
            bad_in.classifier_enable = 1;
        CHECK(odp_pktin_queue_config(port, &bad_in) < 0 && odp_errno() == EINVAL);
        CHECK(what == 4 || (odp_pktout_queue_config(port, &bad_out) < 0 && odp_errno() == EINVAL));
        CHECK(odp_pktin_queue(port, NULL, 0) == 3 && odp_pktout_queue(port, NULL, 0) == 3); /* as they were */
    }
    in.hash_enable = 0;
    CHECK(odp_pktin_queue_config(port, &in) < 0);
    CHECK(odp_pktin_queue_config(port, NULL) == 0 && odp_pktin_queue(port, NULL, 0) == 1);
    CHECK(odp_pktout_queue_config(port, NULL) == 0 && odp_pktout_queue(port, NULL, 0) == 1);
    CHECK(odp_pktin_queue_config(ODP_PKTIO_INVALID, NULL) < 0 && odp_errno() == EINVAL);
    CHECK(odp_pktout_queue_config(ODP_PKTIO_INVALID, NULL) < 0 && odp_errno() == EINVAL);
    CHECK(odp_pktio_close(port) == 0);
}

/* What a port without an interface tells, and what none does. */
static void test_what_ports_tell(odp_pool_t pool) {
    odp_pktio_t none = ODP_PKTIO_INVALID, port = odp_pktio_open("null:told", pool, NULL);
    odp_pktio_link_info_t link;
    odp_pktio_info_t info;
    odp_pktio_stats_t stats;
    odp_pktio_capability_t capa;
    uint64_t value;
    uint8_t mac[6];
    CHECK(odp_pktio_link_info(port, &link) == 0 && link.status == ODP_PKTIO_LINK_STATUS_UP);
    CHECK(link.autoneg == ODP_PKTIO_LINK_AUTONEG_UNKNOWN && link.duplex == ODP_PKTIO_LINK_DUPLEX_FULL);
    CHECK(link.pause_rx == ODP_PKTIO_LINK_PAUSE_UNKNOWN && link.pause_tx == ODP_PKTIO_LINK_PAUSE_UNKNOWN);
    CHECK(link.speed == ODP_PKTIO_LINK_SPEED_UNKNOWN && strcmp(link.media, "virtual") == 0);
    CHECK(odp_pktio_info(port, &info) == 0 && strcmp(info.drv_name, "null") == 0 && info.pool == pool);
    CHECK(odp_pktin_maxlen(port) == 2048 && odp_pktout_maxlen(port) == 65536);
    CHECK(odp_pktio_promisc_mode(port) == 1 && odp_pktio_promisc_mode_set(port, 0) < 0 && odp_errno() == ENOTSUP);
    CHECK(odp_pktio_capability(port, &capa) == 0 && capa.set_op.all_bits == 0);
    CHECK(odp_pktio_close(port) == 0);
    CHECK(odp_pktio_link_status(none) == ODP_PKTIO_LINK_STATUS_UNKNOWN && odp_pktio_ts_res(none) == 0);
    CHECK(odp_pktin_maxlen(none) == 0 && odp_pktout_maxlen(none) == 0);
#define REFUSED(CALL) (odp_errno_zero(), (CALL) == -1 && odp_errno() == EINVAL)
    CHECK(REFUSED(odp_pktio_link_info(none, &link)) && REFUSED(odp_pktio_info(none, &info)));
    CHECK(REFUSED(odp_pktio_stats(none, &stats)) && REFUSED(odp_pktio_stats_reset(none)));
    CHECK(REFUSED(odp_pktio_extra_stat_info(none, NULL, 0)) && REFUSED(odp_pktio_extra_stats(none, NULL, 0)));
    CHECK(REFUSED(odp_pktio_extra_stat_counter(none, 0, &value)) && REFUSED(odp_pktio_mac_addr(none, mac, 6)));
    CHECK(REFUSED(odp_pktio_promisc_mode(none)) && REFUSED(odp_pktio_promisc_mode_set(none, 1)));
    CHECK(REFUSED(odp_pktin_queue(none, NULL, 0)) && REFUSED(odp_pktout_queue(none, NULL, 0)));
    CHECK(REFUSED(odp_pktio_start(none)) && REFUSED(odp_pktio_stop(none)) && REFUSED(odp_pktio_close(none)));
    CHECK(REFUSED(odp_pktio_index(none)) && REFUSED(odp_pktio_capability(none, &capa)));
}

/* Capabilities tell all of themselves, whatever stood there before. */
static void test_capabilities(odp_pool_t pool) {
    odp_pool_capability_t pools[2];
    odp_queue_capability_t queues[2];
    odp_shm_capability_t blocks[2];
    odp_pktio_capability_t ports[2];
    odp_pool_info_t infos[2];
    odp_pktio_t port = odp_pktio_open("null:capable", pool, NULL);
#define SAME_TWICE(INTO, CALL)                                                                                         \
    do {                                                                                                               \
        for (unsigned i = 0; i < 2; i++) {                                                                             \
            memset(&(INTO)[i], i ? 0xff : 0, sizeof((INTO)[i]));                                                       \
            CHECK((CALL) == 0);                                                                                        \
        }                                                                                                              \
        CHECK(memcmp(&(INTO)[0], &(INTO)[1], sizeof((INTO)[0])) == 0);                                                 \
    } while (0)
    SAME_TWICE(pools, odp_pool_capability(&pools[i]));
    SAME_TWICE(queues, odp_queue_capability(&queues[i]));
    SAME_TWICE(blocks, odp_shm_capability(&blocks[i]));
    SAME_TWICE(ports, odp_pktio_capability(port, &ports[i]));
    SAME_TWICE(infos, odp_pool_info(pool, &infos[i]));
    const odp_pktio_stats_capability_t *stats = &ports[0].stats;
    CHECK(stats->pktio.counter.in_octets && stats->pktio.counter.in_packets && stats->pktio.counter.in_discards);
    CHECK(stats->pktio.counter.in_errors && stats->pktio.counter.out_octets && stats->pktio.counter.out_packets);
    CHECK(stats->pktio.counter.out_discards && stats->pktio.counter.out_errors);
    CHECK(stats->pktin_queue.counter.octets && stats->pktin_queue.counter.packets);
    CHECK(stats->pktin_queue.counter.discards && stats->pktin_queue.counter.errors);
    CHECK(stats->pktout_queue.counter.octets && stats->pktout_queue.counter.packets);
    CHECK(stats->pktout_queue.counter.discards && stats->pktout_queue.counter.errors);
    CHECK(odp_pktio_close(port) == 0);
}

static void test_ports(void) {
    odp_pool_t pool = test_packet_pool(16, 2048, 0, 0);
    test_opening(pool);
    test_all_ports(pool);
    test_configurations(pool);
    test_queues_of_ports(pool);
    test_what_ports_tell(pool);
    test_capabilities(pool);
    CHECK(odp_pool_destroy(pool) == 0); /* those that were refused do not hold it */
}

static void test_all_pools(void) {
    odp_pool_capability_t capa;
    odp_pool_param_t param;
    CHECK(odp_pool_capability(&capa) == 0);
    odp_pool_param_init(&param);
    param.pkt.num = 1;
    param.pkt.len = 64;
    odp_pool_t pools[capa.max_pools];
    for (uint32_t i = 0; i < capa.max_pools; i++)
        CHECK((pools[i] = odp_pool_create("one of them", &param)) != ODP_POOL_INVALID &&
              odp_pool_index(pools[i]) == (int)i);
    odp_errno_zero();
    CHECK(odp_pool_create(NULL, &param) == ODP_POOL_INVALID && odp_errno() != 0);
    CHECK(odp_pool_max_index() == capa.max_pools - 1);
    CHECK(odp_pool_destroy(pools[7]) == 0 && odp_pool_lookup("one of them") == pools[0]);
    CHECK((pools[7] = odp_pool_create("again", &param)) != ODP_POOL_INVALID && odp_pool_index(pools[7]) == 7);
    CHECK(odp_pool_lookup("again") == pools[7]);
    for (uint32_t i = 0; i < capa.max_pools; i++)
        CHECK(odp_pool_destroy(pools[i]) == 0);
    CHECK(odp_pool_lookup("again") == ODP_POOL_INVALID && REFUSED(odp_pool_destroy(ODP_POOL_INVALID)));
    odp_pool_info_t info;
    odp_pool_stats_t stats;
    odp_pool_stats_selected_t selected;
    const odp_pool_stats_opt_t wanted = {.all = 0};
    CHECK(REFUSED(odp_pool_info(ODP_POOL_INVALID, &info)) && REFUSED(odp_pool_stats(ODP_POOL_INVALID, &stats)));
    CHECK(REFUSED(odp_pool_stats_selected(ODP_POOL_INVALID, &selected, &wanted)));
    CHECK(REFUSED(odp_pool_stats_reset(ODP_POOL_INVALID)) && REFUSED(odp_pool_index(ODP_POOL_INVALID)));
}

/* --- threads --------------------------------------------------------------------------------------------------------
 */

static int own_log(odp_log_level_t level, const char *fmt, ...) {
    (void)level, (void)fmt;
    return 0;
}

/* A thread that leaves takes nothing with it: neither its number, nor its place among those of its type, nor its log.
 */
static void *join_twice(void *unused) {
    for (int turn = 0; turn < 2; turn++) {
        CHECK(odp_thread_control_count() == 1 && odp_thread_worker_count() == 0);
        CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0 && odp_thread_id() == 1);
        CHECK(odp_thread_control_count() == 2 && odp_thread_worker_count() == 0 && odp_log_fn_get() != own_log);
        odp_log_thread_fn_set(own_log);
        CHECK(odp_log_fn_get() == own_log && odp_term_local() == 1);
    }
    CHECK(odp_term_local() < 0);
    return unused;
}

static void test_joining(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, join_twice, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(odp_thread_control_count() == 1 && odp_thread_worker_count() == 0);
}

enum { MOST_THREADS = ODP_THREAD_COUNT_MAX };

static pthread_barrier_t all_joined, all_seen;

static void *join_and_wait(void *unused) {
    CHECK(odp_init_local(test_instance, ODP_THREAD_WORKER) == 0 && odp_errno() == 0);
    pthread_barrier_wait(&all_joined);
    pthread_barrier_wait(&all_seen);
    CHECK(odp_term_local() == 1);
    return unused;
}

static void *join_in_vain(void *type) {
    CHECK(odp_init_local(test_instance, *(odp_thread_type_t *)type) == -1 && odp_errno() == ENOSPC);
    CHECK(odp_term_local() == -1);
    return NULL;
}

/* As many threads as there may be; those that are too many can join when others have left. */
static void test_all_threads(int more) {
    pthread_t threads[MOST_THREADS], vain;
    odp_thread_type_t types[] = {ODP_THREAD_WORKER, ODP_THREAD_CONTROL};
    for (int turn = 0; turn < 2; turn++) {
        CHECK(pthread_barrier_init(&all_joined, NULL, (unsigned)more + 1) == 0);
        CHECK(pthread_barrier_init(&all_seen, NULL, (unsigned)more + 1) == 0);
        for (int i = 0; i < more; i++)
            CHECK(pthread_create(&threads[i], NULL, join_and_wait, NULL) == 0);
        pthread_barrier_wait(&all_joined);
        CHECK(odp_thread_count() == more + 1 && odp_thread_worker_count() == more && odp_thread_control_count() == 1);
        for (int type = 0; type < 2; type++)
            CHECK(pthread_create(&vain, NULL, join_in_vain, &types[type]) == 0 && pthread_join(vain, NULL) == 0);
        CHECK(odp_thread_count() == more + 1);
        pthread_barrier_wait(&all_seen);
        for (int i = 0; i < more; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        pthread_barrier_destroy(&all_joined);
        pthread_barrier_destroy(&all_seen);
        CHECK(odp_thread_count() == 1);
    }
}

static bool starts(const odp_init_t *param) {
    odp_instance_t made;
    const bool does = odp_init_global(&made, param, NULL) == 0;
    CHECK(does || odp_errno() == EINVAL);
    CHECK(!does || odp_term_global(made) == 0);
    return does;
}

/* What an instance is told when it starts holds for it, and not for the next one. */
static void test_instances(void) {
    odp_init_t param;
    odp_cpumask_t workers, controls, mask;
    odp_instance_t found;
    CHECK(odp_instance(&found) < 0 && odp_init_local(test_instance, ODP_THREAD_WORKER) < 0);
    CHECK(odp_term_global(test_instance) < 0 && odp_term_local() < 0);
    odp_init_param_init(&param);
    static const struct {
        int workers, controls;
        bool fine;
    } numbers[] = {{0, 0, true},
                   {-1, 0, false},
                   {0, -1, false},
                   {MOST_THREADS, 0, true},
                   {MOST_THREADS - 1, 1, true},
                   {MOST_THREADS, 1, false},
                   {0, MOST_THREADS + 1, false},
                   {MOST_THREADS + 1, 0, false}};
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        param.num_worker = numbers[i].workers;
        param.num_control = numbers[i].controls;
        CHECK(starts(&param) == numbers[i].fine);
    }
    odp_init_param_init(&param);
    param.mem_model = ODP_MEM_MODEL_PROCESS;
    CHECK(!starts(&param));
    param.mem_model = ODP_MEM_MODEL_THREAD;
    odp_cpumask_zero(&workers);
    odp_cpumask_set(&workers, ODP_CPUMASK_SIZE - 1);
    odp_cpumask_set(&workers, ODP_CPUMASK_SIZE - 3);
    odp_cpumask_zero(&controls);
    odp_cpumask_set(&controls, ODP_CPUMASK_SIZE - 2);
    param.num_worker = 2;
    param.num_control = 1;
    param.worker_cpus = &workers;
    param.control_cpus = &controls;
    CHECK(odp_init_global(&test_instance, &param, NULL) == 0);
    CHECK(odp_init_local(test_instance + 1, ODP_THREAD_CONTROL) < 0 && odp_errno() == EINVAL);
    CHECK(odp_init_local(test_instance, (odp_thread_type_t)77) < 0 && odp_errno() == EINVAL);
    CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) == 0);
    CHECK(odp_init_local(test_instance, ODP_THREAD_CONTROL) < 0 && odp_errno() == EINVAL && odp_thread_count() == 1);
    CHECK(odp_thread_worker_count_max() == 2 && odp_thread_control_count_max() == 1);
    CHECK(odp_cpumask_default_worker(&mask, 0) == 2 && odp_cpumask_equal(&mask, &workers));
    CHECK(odp_cpumask_default_worker(&mask, 3) == 2 && odp_cpumask_equal(&mask, &workers));
    CHECK(odp_cpumask_default_worker(&mask, 1) == 1 && odp_cpumask_first(&mask) == ODP_CPUMASK_SIZE - 1);
    CHECK(odp_cpumask_default_control(&mask, 0) == 1 && odp_cpumask_equal(&mask, &controls));
    test_all_threads(2);
    test_end();
    test_begin();
    CHECK(odp_thread_worker_count_max() == MOST_THREADS && odp_thread_control_count_max() == MOST_THREADS);
    CHECK(odp_cpumask_default_worker(&mask, 0) >= 1 && !odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE - 3));
    CHECK(odp_cpumask_default_control(&mask, 0) == 1 && !odp_cpumask_isset(&mask, ODP_CPUMASK_SIZE - 2));
    test_all_threads(MOST_THREADS - 1);
    test_end();
}

/* --- crypto ---------------------------------------------------------------------------------------------------------
 */

static odp_crypto_session_t session_new(void) {
    odp_crypto_session_param_t param;
    odp_crypto_ses_create_err_t status;
    odp_crypto_session_t session;
    odp_crypto_session_param_init(&param);
    param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
    param.cipher_key = (odp_crypto_key_t){.data = key, .length = sizeof(key)};
    param.cipher_iv_len = 16;
    return odp_crypto_session_create(&param, &session, &status) == 0 ? session : ODP_CRYPTO_SESSION_INVALID;
}

/* A range that is beyond its packet or no whole number of blocks is told of and changes nothing; nothing may be
 * ciphered. */
static void test_ranges(void) {
    enum { LENGTH = 64 };
    static const struct {
        uint32_t offset, length;
        bool fine;
    } ranges[] = {{0, 64, true},  {48, 16, true}, {49, 16, false}, {48, 32, false},
                  {64, 0, true},  {65, 0, false}, {64, 16, false}, {80, 16, false},
                  {0, 80, false}, {0, 15, false}, {5, 0, true},    {16, UINT32_MAX - 15, false}};
    static const uint8_t iv[16];
    odp_pool_t pool = test_packet_pool(8, 256, 0, 0);
    odp_crypto_session_t session = session_new();
    CHECK(session != ODP_CRYPTO_SESSION_INVALID);
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        odp_packet_t packet = odp_packet_alloc(pool, LENGTH), out;
        odp_crypto_packet_result_t result;
        uint8_t before[LENGTH], *data = odp_packet_data(packet);
        CHECK(odp_crypto_result(&result, packet) == -2); /* nothing has been done to it */
        memset(data, (int)i, LENGTH);
        memcpy(before, data, LENGTH);
        odp_crypto_packet_op_param_t param = {.session = session, .cipher_iv_ptr = iv};
        param.cipher_range = (odp_packet_data_range_t){.offset = ranges[i].offset, .length = ranges[i].length};
        CHECK(odp_crypto_op(&packet, &out, &param, 1) == 1 && out == packet);
        CHECK(odp_crypto_result(&result, packet) == (ranges[i].fine ? 0 : -1));
        CHECK(result.cipher_status.alg_err ==
              (ranges[i].fine ? ODP_CRYPTO_ALG_ERR_NONE : ODP_CRYPTO_ALG_ERR_DATA_SIZE));
        const bool changed = memcmp(before, data, LENGTH) != 0;
        CHECK(changed == (ranges[i].fine && ranges[i].length > 0));
        odp_packet_free(packet);
    }
    CHECK(odp_crypto_session_destroy(session) == 0 && odp_crypto_session_destroy(ODP_CRYPTO_SESSION_INVALID) < 0);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* What sessions cannot do is refused, and it is told which part of it. */
static void test_refused_sessions(void) {
    static const struct {
        unsigned what;
        odp_crypto_ses_create_err_t status;
    } wishes[] = {{0, ODP_CRYPTO_SES_ERR_NONE},   {1, ODP_CRYPTO_SES_ERR_AUTH},   {2, ODP_CRYPTO_SES_ERR_PARAMS},
                  {3, ODP_CRYPTO_SES_ERR_PARAMS}, {4, ODP_CRYPTO_SES_ERR_PARAMS}, {5, ODP_CRYPTO_SES_ERR_CIPHER},
                  {6, ODP_CRYPTO_SES_ERR_CIPHER}, {7, ODP_CRYPTO_SES_ERR_CIPHER}, {8, ODP_CRYPTO_SES_ERR_AUTH}};
    for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
        odp_crypto_session_param_t param;
        odp_crypto_ses_create_err_t status;
        odp_crypto_session_t session = ODP_CRYPTO_SESSION_INVALID;
        const unsigned what = wishes[i].what;
        odp_crypto_session_param_init(&param);
        param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
        param.cipher_key = (odp_crypto_key_t){.data = key, .length = what == 6 ? 15 : sizeof(key)};
        param.cipher_iv_len = what == 7 ? 15 : 16;
        param.auth_range_in_bits = what == 1;
        if (what == 2)
            param.op_mode = ODP_CRYPTO_ASYNC;
        if (what == 3)
            param.op_type = ODP_CRYPTO_OP_TYPE_OOP;
        param.null_crypto_enable = what == 4;
        param.cipher_range_in_bits = what == 5;
        if (what == 8)
            param.auth_alg = (odp_auth_alg_t)(ODP_AUTH_ALG_NULL + 1);
        const int made = odp_crypto_session_create(&param, &session, &status);
        CHECK(status == wishes[i].status && (made == 0) == (status == ODP_CRYPTO_SES_ERR_NONE));
        CHECK(made == 0 ? odp_crypto_session_destroy(session) == 0 : session == ODP_CRYPTO_SESSION_INVALID);
    }
}

/* As many as the capabilities say at once, and any number one after the other. */
static void test_sessions(void) {
    odp_crypto_capability_t capa;
    CHECK(odp_crypto_capability(&capa) == 0);
    for (uint32_t i = 0; i <= capa.max_sessions; i++)
        CHECK(odp_crypto_session_destroy(session_new()) == 0);
    odp_crypto_session_t *sessions = malloc(capa.max_sessions * sizeof(*sessions));
    for (uint32_t i = 0; i < capa.max_sessions; i++)
        CHECK((sessions[i] = session_new()) != ODP_CRYPTO_SESSION_INVALID);
    CHECK(session_new() == ODP_CRYPTO_SESSION_INVALID);
    for (uint32_t i = capa.max_sessions; i-- > 0;) /* the first, the last and others are taken out of the list */
        CHECK(odp_crypto_session_destroy(sessions[(i * 7 + 3) % capa.max_sessions]) == 0);
    free(sessions);
}

static void test_random(void) {
    uint8_t bytes[16];
    CHECK(odp_random_data(bytes, sizeof(bytes), odp_random_max_kind()) == sizeof(bytes));
    CHECK(odp_random_data(bytes, sizeof(bytes), (odp_random_kind_t)(odp_random_max_kind() + 1)) < 0);
    CHECK(odp_random_data(bytes, 0, ODP_RANDOM_BASIC) == 0);
}

int main(void) {
    test_begin();
    test_queues();
    test_all_queues();
    test_a_full_queue_is_not_destroyed();
    test_packet_pools();
    test_what_packets_have();
    test_statistics_of_pools();
    test_names();
    test_blocks();
    test_cpus();
    test_sets();
    test_ports();
    test_all_pools();
    test_widths();
    test_joining();
    test_ranges();
    test_refused_sessions();
    test_sessions();
    test_random();
    test_end();
    test_instances();
    return 0;
}
