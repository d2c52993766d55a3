/* CPU and thread masks, CPUs, time, byte order, CRC, random data, shared memory, alignment macros. */
#include "check.h"

static void test_masks(void) {
    odp_cpumask_t a, b, c;
    char text[ODP_CPUMASK_STR_SIZE];
    odp_cpumask_zero(&a);
    CHECK(odp_cpumask_count(&a) == 0 && odp_cpumask_first(&a) < 0 && odp_cpumask_last(&a) < 0);
    odp_cpumask_set(&a, 3);
    odp_cpumask_set(&a, 70);
    CHECK(odp_cpumask_isset(&a, 3) && odp_cpumask_isset(&a, 70) && !odp_cpumask_isset(&a, 4));
    CHECK(odp_cpumask_first(&a) == 3 && odp_cpumask_next(&a, 3) == 70 && odp_cpumask_next(&a, 70) < 0);
    CHECK(odp_cpumask_last(&a) == 70 && odp_cpumask_count(&a) == 2);
    odp_cpumask_clr(&a, 70);
    CHECK(odp_cpumask_to_str(&a, text, sizeof(text)) == 4 && strcmp(text, "0x8") == 0);
    CHECK(odp_cpumask_to_str(&a, text, 3) < 0);
    odp_cpumask_zero(&b);
    odp_cpumask_set(&b, 70);
    odp_cpumask_from_str(&b, "0x0C");
    CHECK(odp_cpumask_isset(&b, 2) && odp_cpumask_isset(&b, 3) && odp_cpumask_count(&b) == 2);
    odp_cpumask_and(&c, &a, &b);
    CHECK(odp_cpumask_equal(&c, &a));
    odp_cpumask_or(&c, &a, &b);
    CHECK(odp_cpumask_equal(&c, &b));
    odp_cpumask_xor(&c, &a, &b);
    CHECK(odp_cpumask_count(&c) == 1 && odp_cpumask_isset(&c, 2));
    odp_cpumask_copy(&c, &b);
    CHECK(odp_cpumask_equal(&c, &b));
    int all = odp_cpumask_all_available(&a);
    CHECK(all > 0 && all == odp_cpumask_count(&a) && all == odp_cpu_count());
    CHECK(odp_cpumask_default_worker(&a, 1) == 1 && odp_cpumask_count(&a) == 1);
    CHECK(odp_cpumask_default_worker(NULL, 0) >= 1 && odp_cpumask_default_control(&a, 1) == 1);
    odp_cpumask_setall(&a);
    CHECK(odp_cpumask_count(&a) == ODP_CPUMASK_SIZE && odp_cpumask_last(&a) == ODP_CPUMASK_SIZE - 1);
}

static void test_thread_masks(void) {
    odp_thrmask_t a, b, c;
    char text[ODP_THRMASK_STR_SIZE];
    odp_thrmask_zero(&a);
    CHECK(odp_thrmask_count(&a) == 0 && odp_thrmask_first(&a) < 0 && odp_thrmask_last(&a) < 0);
    odp_thrmask_set(&a, 1);
    odp_thrmask_set(&a, 6);
    CHECK(odp_thrmask_first(&a) == 1 && odp_thrmask_next(&a, 1) == 6 && odp_thrmask_next(&a, 6) < 0);
    CHECK(odp_thrmask_last(&a) == 6 && odp_thrmask_count(&a) == 2 && odp_thrmask_isset(&a, 6));
    CHECK(odp_thrmask_to_str(&a, text, sizeof(text)) == 5 && strcmp(text, "0x42") == 0);
    CHECK(odp_thrmask_to_str(&a, text, 4) < 0);
    odp_thrmask_from_str(&b, "0x42");
    CHECK(odp_thrmask_equal(&a, &b));
    odp_thrmask_clr(&b, 6);
    odp_thrmask_and(&c, &a, &b);
    CHECK(odp_thrmask_equal(&c, &b) && !odp_thrmask_isset(&c, 6));
    odp_thrmask_xor(&c, &a, &b);
    CHECK(odp_thrmask_count(&c) == 1 && odp_thrmask_first(&c) == 6);
    odp_thrmask_or(&c, &c, &b);
    CHECK(odp_thrmask_equal(&c, &a));
    odp_thrmask_copy(&c, &b);
    CHECK(odp_thrmask_equal(&c, &b));
    odp_thrmask_setall(&a);
    CHECK(odp_thrmask_count(&a) > 6 && odp_thrmask_isset(&a, odp_thread_count_max() - 1));
    CHECK(odp_thrmask_control(&a) == 1 && odp_thrmask_count(&a) == 1 && odp_thrmask_isset(&a, odp_thread_id()));
    CHECK(odp_thrmask_worker(&a) == 0);
}

static void test_cpu(void) {
    uint64_t word = 1;
    uint64_t c1 = odp_cpu_cycles(), c2 = odp_cpu_cycles_strict();
    odp_cpu_pause();
    CHECK(odp_cpu_cycles_diff(c2, c1) <= odp_cpu_cycles_max() && odp_cpu_cycles_resolution() > 0);
    CHECK(odp_cpu_cycles_diff(odp_cpu_cycles(), c1) > 0);
    CHECK(odp_cpu_id() >= 0 && odp_cpu_count() >= 1);
    CHECK(strlen(odp_cpu_model_str()) > 0 && strlen(odp_cpu_model_str_id(odp_cpu_id())) > 0);
    /* 0 where they are not known */
    CHECK(odp_cpu_hz_max() == 0 || odp_cpu_hz_max() >= 1000000);
    CHECK(odp_cpu_hz_max_id(odp_cpu_id()) == 0 || odp_cpu_hz_max_id(odp_cpu_id()) >= 1000000);
    CHECK(odp_cpu_hz() == 0 || odp_cpu_hz() >= 1000000);
    CHECK(odp_cpu_hz_id(odp_cpu_id()) == 0 || odp_cpu_hz_id(odp_cpu_id()) >= 1000000);
    /* hints: nothing changes */
    odp_prefetch(&word), odp_prefetch_l1(&word), odp_prefetch_l2(&word), odp_prefetch_l3(&word);
    odp_prefetch_l1i(&word), odp_prefetch_strm_l1(&word), odp_prefetch_store_strm_l1(&word);
    odp_prefetch_store(&word), odp_prefetch_store_l1(&word), odp_prefetch_store_l2(&word);
    odp_prefetch_store_l3(&word), odp_prefetch(NULL);
    CHECK(word == 1);
}

static void test_time(void) {
    odp_time_t t1 = odp_time_global(), t2 = odp_time_add_ns(t1, 1000000);
    uint64_t before = odp_time_global_ns(), waited;
    CHECK(odp_time_cmp(t2, t1) > 0 && odp_time_cmp(t1, t2) < 0 && odp_time_cmp(t1, t1) == 0);
    CHECK(odp_time_diff_ns(t2, t1) >= 999999 && odp_time_diff_ns(t2, t1) <= 1000001);
    CHECK(odp_time_cmp(odp_time_sum(t1, odp_time_diff(t2, t1)), t2) == 0);
    CHECK(odp_time_to_ns(ODP_TIME_NULL) == 0);
    uint64_t back = odp_time_to_ns(odp_time_global_from_ns(ODP_TIME_SEC_IN_NS));
    CHECK(back >= ODP_TIME_SEC_IN_NS - 1 && back <= ODP_TIME_SEC_IN_NS + 1);
    odp_time_wait_ns(3 * ODP_TIME_MSEC_IN_NS);
    waited = odp_time_global_ns() - before;
    CHECK(waited >= 3 * ODP_TIME_MSEC_IN_NS && waited < ODP_TIME_SEC_IN_NS);
    before = odp_time_global_ns();
    odp_time_wait_until(odp_time_add_ns(odp_time_global(), 20000));
    CHECK(odp_time_global_ns() - before >= 19999);
    CHECK(odp_time_global_res() > 0 && odp_time_local_res() > 0);
    odp_time_t l1 = odp_time_local(), l2 = odp_time_local_strict();
    CHECK(odp_time_cmp(l2, l1) >= 0 && odp_time_global_strict_ns() >= before);
    before = odp_time_local_ns();
    CHECK(odp_time_local_strict_ns() >= before);
    t1 = odp_time_global_strict();
    CHECK(odp_time_cmp(odp_time_global(), t1) >= 0);
    back = odp_time_to_ns(odp_time_local_from_ns(ODP_TIME_SEC_IN_NS));
    CHECK(back >= ODP_TIME_SEC_IN_NS - 1 && back <= ODP_TIME_SEC_IN_NS + 1);
}

static void test_bytes(void) {
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    odp_u16be_t b16;
    odp_u32be_t b32;
    odp_u64be_t b64;
    memcpy(&b16, bytes, 2), memcpy(&b32, bytes, 4), memcpy(&b64, bytes, 8);
    CHECK(odp_be_to_cpu_16(b16) == 0x0102 && odp_be_to_cpu_32(b32) == 0x01020304);
    CHECK(odp_be_to_cpu_64(b64) == 0x0102030405060708);
    CHECK(odp_le_to_cpu_16(b16) == 0x0201 && odp_le_to_cpu_32(b32) == 0x04030201);
    CHECK(odp_le_to_cpu_64(b64) == 0x0807060504030201);
    CHECK(odp_cpu_to_be_32(0x01020304) == b32 && odp_cpu_to_le_64(0x0807060504030201) == b64);
    CHECK(odp_cpu_to_le_16(0x0201) == b16 && odp_cpu_to_le_32(0x04030201) == b32);
    CHECK(odp_cpu_to_be_16(0x0102) == b16 && odp_cpu_to_be_64(0x0102030405060708) == b64);
    CHECK(ODP_BYTE_ORDER == ODP_LITTLE_ENDIAN || ODP_BYTE_ORDER == ODP_BIG_ENDIAN);
    CHECK(ODP_CACHE_LINE_ROUNDUP(1) == ODP_CACHE_LINE_SIZE && ODP_CACHE_LINE_ROUNDUP(0) == 0);
    CHECK(odp_memcmp(bytes, "\1\2", 2) == 0 && odp_memset(bytes, 7, 2) == bytes && bytes[1] == 7);
    CHECK(odp_memcpy(bytes, "\3\4", 2) == bytes && bytes[1] == 4);
}

static void test_crc(void) {
    const char *text = "123456789"; /* the check string of CRC catalogues */
    odp_hash_crc_param_t param = {.width = 16, .poly = 0x1021, .reflect_in = false, .reflect_out = false, .xor_out = 0};
    uint64_t crc;
    CHECK((odp_hash_crc32(text, 9, 0xffffffff) ^ 0xffffffff) == 0xcbf43926);
    CHECK((odp_hash_crc32c(text, 9, 0xffffffff) ^ 0xffffffff) == 0xe3069283);
    uint32_t half = odp_hash_crc32(text, 4, 0xffffffff);
    CHECK((odp_hash_crc32(text + 4, 5, half) ^ 0xffffffff) == 0xcbf43926);
    half = odp_hash_crc32c(text, 1, 0xffffffff);
    CHECK((odp_hash_crc32c(text + 1, 8, half) ^ 0xffffffff) == 0xe3069283);
    if (odp_hash_crc_gen64(text, 9, 0xffff, &param, &crc) == 0) { /* optional in some implementations */
        CHECK(crc == 0x29b1);
        param = (odp_hash_crc_param_t){
            .width = 32, .poly = 0x04c11db7, .reflect_in = true, .reflect_out = true, .xor_out = 0xffffffff};
        CHECK(odp_hash_crc_gen64(text, 9, 0xffffffff, &param, &crc) == 0 && crc == 0xcbf43926);
        /* of widths that no integer has, reflected or not: CRC-5/USB, CRC-6/DARC, CRC-12/DECT, CRC-12/UMTS, CRC-16/ARC,
         * CRC-64/XZ */
        static const struct {
            uint64_t init, check;
            odp_hash_crc_param_t param;
        } known[] = {
            {0x1f, 0x19, {.width = 5, .poly = 0x05, .reflect_in = true, .reflect_out = true, .xor_out = 0x1f}},
            {0, 0x26, {.width = 6, .poly = 0x19, .reflect_in = true, .reflect_out = true}},
            {0, 0xf5b, {.width = 12, .poly = 0x80f}},
            {0, 0xdaf, {.width = 12, .poly = 0x80f, .reflect_out = true}},
            {0, 0xbb3d, {.width = 16, .poly = 0x8005, .reflect_in = true, .reflect_out = true}},
            {UINT64_MAX,
             0x995dc9bbdf1939fa,
             {.width = 64, .poly = 0x42f0e1eba9ea3693, .reflect_in = true, .reflect_out = true, .xor_out = UINT64_MAX}},
        };
        for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
            param = known[i].param;
            if (odp_hash_crc_gen64(text, 9, known[i].init, &param, &crc) == 0)
                CHECK(crc == known[i].check);
        }
    }
}

static void test_random(void) {
    uint8_t a[64], b[64], zero[64] = {0};
    uint64_t seed = 42, again = 42;
    CHECK(odp_random_data(a, sizeof(a), ODP_RANDOM_BASIC) == sizeof(a) && memcmp(a, zero, sizeof(a)) != 0);
    CHECK(odp_random_max_kind() >= ODP_RANDOM_BASIC);
    CHECK(odp_random_test_data(a, sizeof(a), &seed) == sizeof(a) &&
          odp_random_test_data(b, sizeof(b), &again) == sizeof(b));
    CHECK(memcmp(a, b, sizeof(a)) == 0 && seed == again && seed != 42);
    CHECK(odp_random_test_data(b, sizeof(b), &seed) == sizeof(b) && memcmp(a, b, sizeof(a)) != 0);
}

static void test_shm(void) {
    odp_shm_info_t info;
    odp_shm_capability_t capa;
    CHECK(odp_shm_capability(&capa) == 0 && capa.max_blocks > 0);
    odp_shm_t shm = odp_shm_reserve("test block", 100000, 4096, 0);
    CHECK(shm != ODP_SHM_INVALID && odp_shm_lookup("test block") == shm &&
          odp_shm_lookup("nothing") == ODP_SHM_INVALID);
    uint8_t *address = odp_shm_addr(shm);
    CHECK(address != NULL && (uintptr_t)address % 4096 == 0);
    memset(address, 1, 100000);
    CHECK(odp_shm_info(shm, &info) == 0 && info.addr == address && info.size >= 100000);
    CHECK(strcmp(info.name, "test block") == 0 && info.page_size >= 4096);
    odp_shm_segment_info_t segment;
    CHECK(info.num_seg >= 1 && odp_shm_segment_info(shm, 0, 1, &segment) == 0);
    CHECK(segment.addr == (uintptr_t)address && segment.len > 0 && (info.num_seg > 1 || segment.len == info.size));
    CHECK(odp_shm_segment_info(shm, info.num_seg, 1, &segment) < 0);
    CHECK(odp_shm_to_u64(shm) != odp_shm_to_u64(ODP_SHM_INVALID));
    odp_shm_print(shm);
    odp_shm_print_all();
    odp_shm_t other = odp_shm_reserve(NULL, 64, 64, 0);
    CHECK(other != ODP_SHM_INVALID && odp_shm_addr(other) != address);
    CHECK(odp_shm_free(other) == 0 && odp_shm_free(shm) == 0);
}

int main(void) {
    test_begin();
    test_masks();
    test_thread_masks();
    test_cpu();
    test_time();
    test_bytes();
    test_crc();
    test_random();
    test_shm();
    test_end();
    return 0;
}
