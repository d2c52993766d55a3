/* The state of a program's externs: what it begins with, whose it is, which of it belongs to an entry of a table, and
 * that nothing is left of it. Linked with the runtime. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <macs/extern.h>
#include <macs/profile.h>
#include <macs/qsbr.h>

#include "runtime/custom_crc.h"
#include "runtime/digest.h"
#include "runtime/externs.h"
#include "runtime/meter.h"

enum { SIZE = 4, WORKERS = 2 }; /* three entries, and the default one */

static const uint64_t initial[] = {0x1ff, 7};
static const struct macs_digest_field fields[] = {{"a", 9}, {"b", 48}};
static struct macs_locks locks[] = {{.stripes = 4, .sharded = true}, {.stripes = 4}};

enum { PLAIN, OF_T, OF_U, NARROW, WIDE, LEADER, FOLLOWER, LEARN, METER, METER_OF_T, SELECTOR, PROFILE, CRC, EXTERNS };

static const struct macs_extern_desc descs[EXTERNS] = {
    [PLAIN] = {.kind = MACS_COUNTER, .size = SIZE},
    [OF_T] = {.kind = MACS_DIRECT_COUNTER, .size = SIZE, .table = "t"},
    [OF_U] = {.kind = MACS_DIRECT_COUNTER, .size = SIZE, .table = "u"},
    [NARROW] = {.kind = MACS_REGISTER, .size = SIZE, .bits = 9, .stride = 2, .initial = initial, .leader = NARROW},
    [WIDE] = {.kind = MACS_REGISTER, .size = SIZE, .bits = 70, .stride = 16, .initial = initial, .leader = WIDE},
    [LEADER] =
        {.kind = MACS_REGISTER, .size = SIZE, .bits = 8, .stride = 8, .at = 4, .leader = LEADER, .locks = &locks[0]},
    [FOLLOWER] = {.kind = MACS_REGISTER,
                  .size = SIZE,
                  .bits = 32,
                  .stride = 8,
                  .initial = initial,
                  .leader = LEADER,
                  .locks = &locks[1]},
    [LEARN] = {.kind = MACS_DIGEST, .fields = fields, .field_count = 2},
    [METER] = {.kind = MACS_METER, .size = SIZE, .unit = MACS_PACKETS},
    [METER_OF_T] = {.kind = MACS_DIRECT_METER, .size = SIZE, .table = "t", .unit = MACS_BYTES},
    [SELECTOR] = {.kind = MACS_ACTION_SELECTOR, .size = SIZE, .table = "t"},
    [PROFILE] = {.kind = MACS_ACTION_PROFILE, .size = SIZE, .table = "t"},
    [CRC] = {.kind = MACS_CUSTOM_CRC, .bits = 16},
};
static const struct macs_table_desc table_descs[] = {{.name = "t", .shape = {.value_bytes = 16, .size = SIZE - 1}}};
static struct macs_table tables[1];
static void *externs[EXTERNS];
static const struct macs_program program = {.extern_count = EXTERNS,
                                            .extern_descs = descs,
                                            .externs = externs,
                                            .lock_count = 2,
                                            .locks = locks,
                                            .table_count = 1,
                                            .table_descs = table_descs,
                                            .tables = tables};
static struct macs_digest_queue digests;
static struct macs_qsbr *qsbr;
static struct macs_worker workers[WORKERS] = {{.index = 0}, {.index = 1}};

static bool counted(unsigned number, uint32_t index, uint64_t packets, uint64_t bytes) {
    const struct macs_count count = macs_counter_get(externs[number], index);
    return count.packets == packets && count.bytes == bytes;
}

/* Each worker's counts are its own; their sum may be set, and is counted on from there. */
static void check_counters(unsigned number) {
    struct macs_counter *counter = externs[number];
    for (uint32_t index = 0; index <= SIZE; index++)
        for (unsigned worker = 0; worker < WORKERS; worker++)
            macs_counter_add(counter, &workers[worker], index, 100 * (index + 1) + worker);
    for (uint32_t index = 0; index < SIZE; index++) {
        assert(counted(number, index, 2, 200 * (index + 1) + 1));
        assert(macs_counter_at(counter, &workers[1], index)->bytes == 100 * (index + 1) + 1);
        macs_counter_set(counter, index, (struct macs_count){index, 5});
        assert(counted(number, index, index, 5));
        macs_counter_add(counter, &workers[1], index, 10);
        assert(counted(number, index, index + 1, 15));
        macs_counter_set(counter, index, (struct macs_count){UINT64_MAX, 1});
        macs_counter_set(counter, index, (struct macs_count){3, index});
        assert(counted(number, index, 3, index));
    }
}

static void check_registers(bool shared) {
    uint64_t value[2];
    for (uint32_t index = 0; index < SIZE; index++) {
        macs_register_read(externs[NARROW], index, value);
        assert(value[0] == 0x1ff);
        macs_register_read(externs[WIDE], index, value);
        assert(value[0] == 0x1ff && value[1] == 7);
        macs_register_read(externs[LEADER], index, value);
        assert(value[0] == 0);
        macs_register_read(externs[FOLLOWER], index, value);
        assert(value[0] == 0x1ff);
    }
    const struct macs_register *leader = externs[LEADER], *follower = externs[FOLLOWER];
    assert(leader->cells == follower->cells + 4 && leader->cell_bytes == 1 && follower->cell_bytes == 4);
    assert(((const struct macs_register *)externs[NARROW])->cell_bytes == 2);
    assert(((const struct macs_register *)externs[WIDE])->cell_bytes == 16);
    for (unsigned number = NARROW; number <= FOLLOWER; number++)
        assert(((const struct macs_register *)externs[number])->shared == shared);
}

/* What is an entry's alone begins anew, of all externs of its table, and nothing else. */
static void check_reset(void) {
    const struct macs_meter_rates rates = {1, 2, 3, 4};
    struct macs_meter_rates found;
    for (uint32_t reset = 0; reset < SIZE; reset++) {
        for (uint32_t index = 0; index < SIZE; index++) {
            for (unsigned number = PLAIN; number <= OF_U; number++)
                macs_counter_set(externs[number], index, (struct macs_count){8, 9});
            macs_meter_set(externs[METER], index, &rates);
            macs_meter_set(externs[METER_OF_T], index, &rates);
        }
        macs_externs_reset_direct(&program, "t", reset);
        macs_externs_reset_direct(&program, "t", SIZE);
        macs_externs_reset_direct(&program, "none", reset);
        for (uint32_t index = 0; index < SIZE; index++) {
            const bool anew = index == reset;
            assert(counted(OF_T, index, anew ? 0 : 8, anew ? 0 : 9));
            assert(counted(PLAIN, index, 8, 9) && counted(OF_U, index, 8, 9));
            assert(macs_meter_get(externs[METER], index, &found));
            assert(macs_meter_get(externs[METER_OF_T], index, &found) == !anew);
        }
    }
}

/* Parameters of well-known CRCs, and what they make of the digits from 1 to 9, wherever these are cut in two. */
static void check_crcs(void) {
    static const struct {
        uint32_t width;
        struct macs_crc_parameters parameters;
        uint64_t result;
    } known[] = {
        {16, {0x1021, 0xffff, 0, false, false}, 0x29b1},
        {16, {0x1021, 0, 0, true, true}, 0x2189},
        {16, {0x1021, 0xffff, 0xffff, true, true}, 0x906e},
        {16, {0x8005, 0, 0, true, true}, 0xbb3d},
        {16, {0x3d65, 0, 0xffff, false, false}, 0xc2b7},
        {32, {0x04c11db7, UINT32_MAX, UINT32_MAX, true, true}, 0xcbf43926},
        {32, {0x04c11db7, UINT32_MAX, UINT32_MAX, false, false}, 0xfc891918},
        {32, {0x1edc6f41, UINT32_MAX, UINT32_MAX, true, true}, 0xe3069283},
        {32, {0x814141ab, 0, 0, false, false}, 0x3010bf7f},
    };
    static const uint8_t digits[] = "123456789";
    struct macs_custom_crc *crcs[2];
    for (unsigned i = 0; i < 2; i++) {
        assert(macs_custom_crc_create(&crcs[i], i ? 32 : 16, qsbr) == 0);
        const struct macs_bytes all = {digits, 9, NULL, 0}; /* none are set: the plain ones */
        assert((i ? macs_extend_crc32_as_set(crcs[i], all) : macs_extend_crc16_as_set(crcs[i], all)) ==
               (i ? 0xcbf43926 : 0xbb3d));
    }
    for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct macs_custom_crc *crc = crcs[known[i].width == 32];
        assert(macs_custom_crc_set(crc, &known[i].parameters) == 0);
        for (uint32_t cut = 0; cut <= 9; cut++) {
            const struct macs_bytes both = {digits, cut, digits + cut, 9 - cut};
            const uint64_t result =
                known[i].width == 32 ? macs_extend_crc32_as_set(crc, both) : macs_extend_crc16_as_set(crc, both);
            assert(result == known[i].result);
        }
    }
    for (unsigned i = 0; i < 2; i++)
        macs_custom_crc_destroy(crcs[i]);
}

int main(void) {
    assert(macs_qsbr_create(&qsbr) == 0);
    for (unsigned count = 1; count <= WORKERS; count++) {
        assert(macs_externs_create(&program, count, &digests, qsbr) == 0);
        for (unsigned number = 0; number < EXTERNS; number++)
            assert(externs[number]);
        check_registers(count > 1);
        if (count == WORKERS) {
            for (unsigned number = PLAIN; number <= OF_U; number++)
                check_counters(number);
            check_reset();
            macs_externs_shard(&program, count);
            for (unsigned number = NARROW; number <= FOLLOWER; number++)
                assert(((const struct macs_register *)externs[number])->shared == (number != LEADER));
        }
        assert(macs_digest_bytes(&descs[LEARN]) == 8 && macs_meter_size(externs[METER]) == SIZE);
        assert(((const struct macs_profile *)externs[SELECTOR])->size == SIZE);
        assert(((const struct macs_profile *)externs[PROFILE])->value_bytes == 16);
        macs_externs_destroy(&program);
        for (unsigned number = 0; number < EXTERNS; number++)
            assert(!externs[number]);
        macs_externs_destroy(&program); /* nothing is there to be destroyed */
    }
    check_crcs();
    macs_qsbr_destroy(qsbr);
    puts("ok");
    return 0;
}
