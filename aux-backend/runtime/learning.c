#include "runtime/learning.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <stdlib.h>
#include <string.h>

#include "tables/common/hash.h"
#include "tables/common/packing.h"

enum { FREE, GONE, TAGS };                                 /* tags; from TAGS on bits of a hash */
enum { BUCKETS_MIN = 8, BUCKETS_MAX = 1024, SPINS = 256 }; /* SPINS: what a lock is held for is some stores */

typedef struct macs_learning learning_t;
typedef struct macs_learning_record record_t;

static record_t *record_at(const learning_t *learning, uint32_t number) {
    return (record_t *)(void *)(learning->records + number * learning->stride);
}

static struct macs_entry *value_of(const record_t *record) {
    return (struct macs_entry *)(void *)((uint8_t *)(uintptr_t)record + sizeof(*record));
}

static uint8_t *key_of(const learning_t *learning, const record_t *record) {
    return (uint8_t *)(uintptr_t)record + learning->key_offset;
}

static uint64_t hash_of(const learning_t *learning, const uint8_t *key) {
    return macs_hash_bytes(key, learning->shape.key_bytes, learning->seed);
}

static uint32_t tag_of(uint64_t hash) {
    const uint32_t tag = (uint32_t)(hash >> 32);
    return tag < TAGS ? TAGS : tag;
}

/* --- by workers ------------------------------------------------------------------------------------------------------
 */

static uint32_t primary_of(const learning_t *learning, uint64_t hash) {
    return (uint32_t)hash & learning->bucket_mask;
}

/* Another bucket than the primary one. */
static uint32_t secondary_of(const learning_t *learning, uint64_t hash) {
    return (primary_of(learning, hash) ^ ((uint32_t)(hash * MACS_HASH_PHI >> 40) | 1)) & learning->bucket_mask;
}

/* The number of a bucket's record of a key, or UINT32_MAX. */
static uint32_t find_in(const learning_t *learning, uint32_t bucket, uint64_t hash, const uint8_t *key) {
    const uint32_t tag = tag_of(hash);
    for (uint32_t way = 0; way < MACS_LEARNING_WAYS; way++) {
        if (atomic_load_explicit(&learning->buckets[bucket].tags[way], memory_order_acquire) != tag)
            continue;
        const uint32_t number = bucket * MACS_LEARNING_WAYS + way;
        if (!memcmp(key_of(learning, record_at(learning, number)), key, learning->shape.key_bytes))
            return number;
    }
    return UINT32_MAX;
}

static uint32_t find(const learning_t *learning, uint64_t hash, const uint8_t *key) {
    const uint32_t number = find_in(learning, primary_of(learning, hash), hash, key);
    return number != UINT32_MAX ? number : find_in(learning, secondary_of(learning, hash), hash, key);
}

const void *macs_learned(const struct macs_table *table, const uint8_t *key, const void *otherwise) {
    const learning_t *learning = table->learning;
    const uint32_t number = find(learning, hash_of(learning, key), key);
    return number == UINT32_MAX ? otherwise : value_of(record_at(learning, number));
}

bool macs_learned_word(const struct macs_table *table, const uint8_t *key, uint64_t *word, uint32_t *index) {
    const learning_t *learning = table->learning;
    const uint32_t number = find(learning, hash_of(learning, key), key);
    if (number == UINT32_MAX)
        return false;
    const record_t *record = record_at(learning, number);
    *word = record->word;
    *index = value_of(record)->index;
    return true;
}

bool macs_learning_take(learning_t *learning, uint32_t *index) {
    uint32_t head = atomic_load_explicit(&learning->stock_head, memory_order_relaxed);
    do {
        if (head == atomic_load_explicit(&learning->stock_tail, memory_order_acquire))
            return false;
        *index = learning->stock[head & (learning->stock_size - 1)];
    } while (!atomic_compare_exchange_weak_explicit(&learning->stock_head, &head, head + 1, memory_order_acq_rel,
                                                    memory_order_relaxed));
    return true;
}

static bool lock(struct macs_learning_bucket *bucket) {
    for (unsigned spin = 0; spin < SPINS; spin++)
        if (!atomic_load_explicit(&bucket->lock, memory_order_relaxed) &&
            !atomic_exchange_explicit(&bucket->lock, 1, memory_order_acquire))
            return true;
    return false;
}

static void fill(const learning_t *learning, record_t *record, const uint8_t *key, const struct macs_entry *value,
                 uint32_t index) {
    struct macs_entry *own = value_of(record);
    memcpy(own, value, learning->shape.value_bytes);
    own->index = index;
    memcpy(key_of(learning, record), key, learning->shape.key_bytes);
    record->word = learning->shape.key_bits ? macs_packing_data(&learning->shape, own) : 0;
}

/* A bucket's free place, or MACS_LEARNING_WAYS. */
static uint32_t free_way(const struct macs_learning_bucket *bucket) {
    uint32_t way = 0;
    while (way < MACS_LEARNING_WAYS && atomic_load_explicit(&bucket->tags[way], memory_order_acquire) != FREE)
        way++;
    return way;
}

/* In a bucket whose lock is held. */
static bool add_in(learning_t *learning, const struct macs_worker *worker, uint32_t at, uint64_t hash,
                   const uint8_t *key, const struct macs_entry *value, uint8_t profile) {
    struct macs_learning_bucket *bucket = &learning->buckets[at];
    const uint32_t way = free_way(bucket), number = at * MACS_LEARNING_WAYS + way;
    uint32_t index = 0;
    if (way == MACS_LEARNING_WAYS || !macs_learning_take(learning, &index))
        return false;
    fill(learning, record_at(learning, number), key, value, index);
    struct macs_ages *ages = learning->table->ages;
    if (ages) {
        atomic_store_explicit(&ages->hits[index], worker->now_ns, memory_order_relaxed);
        atomic_store_explicit(&ages->profiles[index], profile, memory_order_relaxed);
    }
    atomic_store_explicit(&bucket->tags[way], tag_of(hash), memory_order_release);
    return macs_ring_push(&learning->ring, &number, sizeof(number)); /* there is room for all records */
}

/* The lock of the key's primary bucket is held: nobody else adds that key. Who holds a lock waits for another one for a
 * while only, so none waits for ever. */
static bool add(learning_t *learning, const struct macs_worker *worker, uint64_t hash, const uint8_t *key,
                const struct macs_entry *value, uint8_t profile) {
    const uint32_t primary = primary_of(learning, hash), secondary = secondary_of(learning, hash);
    if (find(learning, hash, key) != UINT32_MAX)
        return false;
    if (free_way(&learning->buckets[primary]) < MACS_LEARNING_WAYS)
        return add_in(learning, worker, primary, hash, key, value, profile);
    struct macs_learning_bucket *bucket = &learning->buckets[secondary];
    if (!lock(bucket))
        return false;
    const bool done = add_in(learning, worker, secondary, hash, key, value, profile);
    atomic_store_explicit(&bucket->lock, 0, memory_order_release);
    return done;
}

bool macs_learn(struct macs_worker *worker, const struct macs_table *table, const uint8_t *key,
                const struct macs_entry *value, uint64_t profile) {
    learning_t *learning = table->learning;
    const uint64_t hash = hash_of(learning, key);
    struct macs_learning_bucket *bucket = &learning->buckets[primary_of(learning, hash)];
    bool done = false;
    if (lock(bucket)) {
        done = add(learning, worker, hash, key, value, profile < MACS_PROFILES ? (uint8_t)profile : MACS_NO_PROFILE);
        atomic_store_explicit(&bucket->lock, 0, memory_order_release);
    }
    atomic_fetch_add_explicit(done ? &learning->added : &learning->refused, 1, memory_order_relaxed);
    if (done)
        macs_bell_ring(learning->bell);
    return done;
}

void macs_restart_timer(const struct macs_worker *worker, const struct macs_table *table, uint32_t index) {
    if (table->ages && index < table->ages->size)
        macs_ages_hit(table->ages, worker, index);
}

void macs_set_expire_time(const struct macs_worker *worker, const struct macs_table *table, uint32_t index,
                          uint64_t profile) {
    if (!table->ages || index >= table->ages->size)
        return;
    const uint8_t to = profile < MACS_PROFILES ? (uint8_t)profile : MACS_NO_PROFILE;
    if (atomic_load_explicit(&table->ages->profiles[index], memory_order_relaxed) != to)
        atomic_store_explicit(&table->ages->profiles[index], to, memory_order_relaxed);
    macs_ages_hit(table->ages, worker, index);
}

/* --- by the control thread -------------------------------------------------------------------------------------------
 */

static uint32_t power_of_two(uint32_t least, uint32_t most) {
    uint32_t power = 1;
    while (power < least && power < most)
        power *= 2;
    return power;
}

static void set_up(learning_t *learning, struct macs_table *table, struct macs_bell *bell) {
    const struct macs_table_desc *desc = table->desc;
    learning->table = table;
    learning->seed = macs_hash_seed();
    learning->bell = bell;
    learning->shape = desc->shape;
    learning->shape.fields = desc->fields;
    learning->shape.field_count = desc->field_count;
    learning->shape.actions = desc->actions;
    learning->shape.action_count = desc->action_count;
    learning->indices = desc->ops->indices(table->state);
    learning->key_offset = (sizeof(record_t) + desc->shape.value_bytes + 7) & ~(size_t)7;
    learning->stride = (learning->key_offset + desc->shape.key_bytes + 7) & ~(size_t)7;
}

int macs_learning_create(learning_t **created, struct macs_table *table, struct macs_bell *bell) {
    if (!table->desc->ops || !table->desc->ops->indices)
        return -ENOSYS;
    learning_t *learning = aligned_alloc(64, (sizeof(*learning) + 63) & ~(size_t)63);
    if (!learning)
        return -ENOMEM;
    memset(learning, 0, sizeof(*learning));
    set_up(learning, table, bell);
    const uint32_t size = table->desc->shape.size,
                   buckets = power_of_two(BUCKETS_MIN > size ? BUCKETS_MIN : size, BUCKETS_MAX);
    const uint32_t records = buckets * MACS_LEARNING_WAYS;
    learning->bucket_mask = buckets - 1;
    learning->stock_size = power_of_two(size < records ? size : records, buckets * 8);
    learning->buckets = calloc(buckets, sizeof(*learning->buckets));
    learning->records = calloc(records, learning->stride);
    learning->stock = calloc(learning->stock_size, sizeof(*learning->stock));
    int status = learning->buckets && learning->records && learning->stock ? 0 : -ENOMEM;
    if (!status)
        status = macs_ring_init(&learning->ring, buckets * 8, sizeof(uint32_t));
    if (status) {
        macs_learning_destroy(learning);
        return status;
    }
    atomic_store(&bell->wanted, true);
    *created = learning;
    return 0;
}

void macs_learning_destroy(learning_t *learning) {
    if (!learning)
        return;
    macs_qsbr_drop(learning->table->qsbr, learning);
    macs_ring_fini(&learning->ring);
    free(learning->buckets);
    free(learning->records);
    free(learning->stock);
    free(learning);
}

record_t *macs_learning_next(learning_t *learning) {
    uint32_t length;
    const uint32_t *number = macs_ring_peek(&learning->ring, &length);
    return number ? record_at(learning, *number) : NULL;
}

void macs_learning_match(const learning_t *learning, record_t *record, struct macs_match *match,
                         struct macs_entry **value) {
    const uint8_t *key = key_of(learning, record);
    *match = (struct macs_match){.value = key, .high = key, .prefix_bits = learning->shape.key_bytes * 8};
    *value = value_of(record);
}

static _Atomic uint32_t *tag_at(const learning_t *learning, uint32_t number) {
    return &learning->buckets[number / MACS_LEARNING_WAYS].tags[number % MACS_LEARNING_WAYS];
}

void macs_learning_made(learning_t *learning, int status, bool taken) {
    uint32_t length;
    const uint32_t number = *(const uint32_t *)macs_ring_peek(&learning->ring, &length);
    record_t *record = record_at(learning, number);
    macs_ring_pop(&learning->ring);
    learning->reserved--;
    if (status) {
        atomic_store_explicit(tag_at(learning, number), GONE, memory_order_release);
        learning->lost++;
        if (!taken && !macs_qsbr_reserve(learning->table->qsbr, 1))
            macs_indices_give_later(learning->indices, learning->table->qsbr, value_of(record)->index);
    }
    record->next = learning->made;
    learning->made = number + 1;
}

void macs_learning_forget(learning_t *learning, const uint8_t *key) {
    const uint32_t number = find(learning, hash_of(learning, key), key);
    if (number != UINT32_MAX)
        atomic_store_explicit(tag_at(learning, number), GONE, memory_order_release);
}

static void passed(void *owner, void *what) {
    learning_t *learning = owner;
    (void)what;
    learning->waiting = false;
}

static void set_tags(learning_t *learning, uint32_t list, uint32_t tag) {
    for (; list; list = record_at(learning, list - 1)->next)
        atomic_store_explicit(tag_at(learning, list - 1), tag, memory_order_release);
}

bool macs_learning_clean(learning_t *learning) {
    const bool any = learning->made || learning->leaving || learning->going;
    if (!any || learning->waiting || macs_qsbr_reserve(learning->table->qsbr, 1))
        return any;
    set_tags(learning, learning->going, FREE);
    set_tags(learning, learning->leaving, GONE);
    learning->going = learning->leaving;
    learning->leaving = learning->made;
    learning->made = 0;
    learning->waiting = learning->going || learning->leaving;
    if (learning->waiting)
        macs_qsbr_defer(learning->table->qsbr, passed, learning, NULL);
    return learning->waiting;
}

static uint32_t stocked(const learning_t *learning) {
    return atomic_load_explicit(&learning->stock_tail, memory_order_relaxed) -
           atomic_load_explicit(&learning->stock_head, memory_order_acquire);
}

void macs_learning_put_back(learning_t *learning, uint32_t index) {
    const uint32_t tail = atomic_load_explicit(&learning->stock_tail, memory_order_relaxed);
    learning->stock[tail & (learning->stock_size - 1)] = index;
    atomic_store_explicit(&learning->stock_tail, tail + 1, memory_order_release);
}

void macs_learning_fill(learning_t *learning, bool wait, void (*taken)(uint32_t index, void *argument),
                        void *argument) {
    const uint32_t count = learning->table->desc->ops->count(learning->table->state);
    while (stocked(learning) < learning->stock_size && count + learning->reserved < learning->shape.size) {
        uint32_t index;
        int status = macs_indices_take(learning->indices, &index);
        if (status && wait && !stocked(learning))
            status = macs_indices_take_waiting(learning->indices, learning->table->qsbr, count, &index);
        if (status)
            return;
        if (index < learning->touched)
            taken(index, argument);
        else
            learning->touched = index + 1;
        learning->reserved++;
        macs_learning_put_back(learning, index);
    }
}
