#include "runtime/custom_crc.h"
#include "runtime/externs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hold.h"
#include "runtime/meter.h"
#include "runtime/profile.h"
#include "tables/common/memory.h"

/* The bytes of one worker's counts: whole cache lines, as workers must not share any. */
static size_t row_bytes(uint32_t size) {
    return ((size_t)size * sizeof(struct macs_count) + 127) / 64 * 64;
}

static void destroy_counter(struct macs_counter *counter) {
    for (uint32_t row = 0; row <= counter->workers; row++)
        macs_memory_free(counter->per_worker[row], row_bytes(counter->size));
    free(counter);
}

static struct macs_counter *create_counter(uint32_t size, unsigned workers) {
    struct macs_counter *counter = calloc(1, sizeof(*counter) + (workers + 1) * sizeof(counter->per_worker[0]));
    if (!counter)
        return NULL;
    counter->size = size;
    counter->workers = workers;
    for (uint32_t row = 0; row <= workers; row++) {
        counter->per_worker[row] = macs_memory_alloc(row_bytes(size), false);
        if (!counter->per_worker[row]) {
            destroy_counter(counter);
            return NULL;
        }
    }
    return counter;
}

static uint32_t cell_bytes(uint32_t bits) {
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : (bits + 63u) / 64 * 8;
}

/* The memory of a register, or of its bundle. */
static size_t cells_bytes(const struct macs_register *reg) {
    return (size_t)reg->shape.size * reg->shape.stride + 1;
}

/* The memory of a bundle: its leader has it, which is the first of its registers. NULL: the register is none of the
 * others. */
static uint8_t *memory_of_bundle(const struct macs_program *program, uint32_t index) {
    const struct macs_extern_desc *desc = &program->extern_descs[index];
    if (desc->leader == index)
        return NULL;
    const struct macs_register *leader = program->externs[desc->leader];
    return leader->cells - program->extern_descs[desc->leader].at;
}

static struct macs_register *create_register(const struct macs_extern_desc *desc, unsigned workers, uint8_t *bundle) {
    struct macs_register *reg = calloc(1, sizeof(*reg));
    if (!reg)
        return NULL;
    *reg = (struct macs_register){.shape = {.size = desc->size, .stride = desc->stride},
                                  .cell_bytes = cell_bytes(desc->bits),
                                  .shared = workers > 1};
    uint8_t *memory = bundle ? bundle : macs_memory_alloc(cells_bytes(reg), false);
    if (!memory) {
        free(reg);
        return NULL;
    }
    reg->cells = memory + desc->at;
    for (uint32_t index = 0; desc->initial && index < desc->size; index++)
        macs_register_write(reg, index, desc->initial);
    return reg;
}

static void destroy_register(const struct macs_program *program, uint32_t index) {
    struct macs_register *reg = program->externs[index];
    const struct macs_extern_desc *desc = &program->extern_descs[index];
    if (desc->leader == index)
        macs_memory_free(reg->cells - desc->at, cells_bytes(reg));
    free(reg);
}

static struct macs_digest *create_digest(const struct macs_extern_desc *desc, uint32_t index,
                                         struct macs_digest_queue *queue) {
    struct macs_digest *digest = calloc(1, sizeof(*digest));
    if (digest)
        *digest = (struct macs_digest){.queue = queue, .index = index, .bytes = macs_digest_bytes(desc)};
    return digest;
}

/* A profile for values like those of its table. */
static int create_profile(const struct macs_program *program, const struct macs_extern_desc *desc,
                          struct macs_qsbr *qsbr, void **state) {
    uint16_t table = 0;
    while (strcmp(program->table_descs[table].name, desc->table) != 0)
        table++;
    struct macs_profile *profile = NULL;
    int status = macs_profile_create(&profile, desc->size, program->table_descs[table].shape.value_bytes, qsbr);
    *state = profile;
    return status;
}

static int create(const struct macs_program *program, uint32_t index, unsigned workers,
                  struct macs_digest_queue *digests, struct macs_qsbr *qsbr, void **state) {
    const struct macs_extern_desc *desc = &program->extern_descs[index];
    switch ((enum macs_extern_kind)desc->kind) {
    case MACS_COUNTER:
    case MACS_DIRECT_COUNTER:
        *state = create_counter(desc->size, workers);
        return *state ? 0 : -ENOMEM;
    case MACS_REGISTER:
        *state = create_register(desc, workers, memory_of_bundle(program, index));
        return *state ? 0 : -ENOMEM;
    case MACS_DIGEST:
        *state = create_digest(desc, index, digests);
        return *state ? 0 : -ENOMEM;
    case MACS_METER:
    case MACS_DIRECT_METER: {
        struct macs_meter *meter = NULL;
        int status = macs_meter_create(&meter, desc->size, (enum macs_unit)desc->unit);
        *state = meter;
        return status;
    }
    case MACS_ACTION_PROFILE:
    case MACS_ACTION_SELECTOR:
        return create_profile(program, desc, qsbr, state);
    case MACS_CUSTOM_CRC: {
        struct macs_custom_crc *crc = NULL;
        int status = macs_custom_crc_create(&crc, desc->bits, qsbr);
        *state = crc;
        return status;
    }
    }
    return -EINVAL;
}

int macs_externs_create(const struct macs_program *program, unsigned workers, struct macs_digest_queue *digests,
                        struct macs_qsbr *qsbr) {
    int status = macs_locks_create(program, workers);
    for (uint16_t i = 0; i < program->extern_count && !status; i++)
        status = create(program, i, workers, digests, qsbr, &program->externs[i]);
    return status;
}

void macs_externs_shard(const struct macs_program *program, unsigned workers) {
    macs_locks_shard(program, workers);
    for (uint16_t i = 0; i < program->extern_count; i++) {
        const struct macs_extern_desc *desc = &program->extern_descs[i];
        if (desc->kind == MACS_REGISTER && desc->locks && desc->locks->sharded)
            ((struct macs_register *)program->externs[i])->shared = false;
    }
}

void macs_externs_destroy(const struct macs_program *program) {
    for (uint16_t i = 0; i < program->extern_count; i++) {
        void *state = program->externs[i];
        if (!state)
            continue;
        switch ((enum macs_extern_kind)program->extern_descs[i].kind) {
        case MACS_COUNTER:
        case MACS_DIRECT_COUNTER:
            destroy_counter(state);
            break;
        case MACS_REGISTER:
            destroy_register(program, i);
            break;
        case MACS_DIGEST:
            free(state);
            break;
        case MACS_METER:
        case MACS_DIRECT_METER:
            macs_meter_destroy(state);
            break;
        case MACS_ACTION_PROFILE:
        case MACS_ACTION_SELECTOR:
            macs_profile_destroy(state);
            break;
        case MACS_CUSTOM_CRC:
            macs_custom_crc_destroy(state);
            break;
        }
        program->externs[i] = NULL;
    }
    macs_locks_destroy(program);
}

struct macs_count macs_counter_get(const struct macs_counter *counter, uint32_t index) {
    struct macs_count sum = {0};
    for (uint32_t row = 0; row <= counter->workers; row++) {
        sum.packets += __atomic_load_n(&counter->per_worker[row][index].packets, __ATOMIC_RELAXED);
        sum.bytes += __atomic_load_n(&counter->per_worker[row][index].bytes, __ATOMIC_RELAXED);
    }
    return sum;
}

void macs_counter_set(struct macs_counter *counter, uint32_t index, struct macs_count value) {
    struct macs_count now = macs_counter_get(counter, index);
    struct macs_count *own = &counter->per_worker[counter->workers][index];
    own->packets += value.packets - now.packets;
    own->bytes += value.bytes - now.bytes;
}

void macs_externs_reset_direct(const struct macs_program *program, const char *table, uint32_t index) {
    for (uint16_t i = 0; i < program->extern_count; i++) {
        const struct macs_extern_desc *desc = &program->extern_descs[i];
        if (!desc->table || strcmp(desc->table, table) || index >= desc->size)
            continue;
        if (desc->kind == MACS_DIRECT_COUNTER)
            macs_counter_set(program->externs[i], index, (struct macs_count){0});
        else if (desc->kind == MACS_DIRECT_METER)
            macs_meter_set(program->externs[i], index, NULL);
    }
}
