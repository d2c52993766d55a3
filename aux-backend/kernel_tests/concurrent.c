/* Readers look up entries while the one writer adds, modifies and removes them.
 * Usage: concurrent KERNEL MILLISECONDS SEED.
 *
 * By n % 4, entry n of `numbered` is always present, or always present with changing values, or sometimes present, or
 * never present. For prefixes there are also HANDED pairs of a short and a long one, of which one at least is present
 * at each moment. Readers check that an entry that must be present is found, that what is found belongs to the key and
 * is whole, and that it stays so until they report a quiescent state.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "support.h"

enum { NUMBERED_MAX = 4000, HANDED = 16, KEY_BYTES = 4, READERS = 2 };

static const struct subject *subject;
static void *table;
static struct macs_qsbr *qsbr;
static uint32_t key_bytes;
static uint32_t numbered; /* few for the linear table: its lookups must not take as long as many changes */
static bool prefixes;     /* it has them, and they are long enough */
static atomic_bool stop;
static _Atomic uint64_t lookups;

static void numbered_key(uint8_t *key, uint32_t n) {
    uint32_t scattered = n * UINT32_C(2654435761);
    if (key_bytes < KEY_BYTES) {
        for (uint32_t i = 0; i < key_bytes; i++)
            key[i] = (uint8_t)(n >> 8 * (key_bytes - 1 - i));
        return;
    }
    memset(key + KEY_BYTES, 0x5a, key_bytes - KEY_BYTES);
    key[0] = (uint8_t)(scattered >> 24 & 3);
    key[1] = (uint8_t)(n >> 8);
    key[2] = (uint8_t)n;
    key[3] = (uint8_t)(scattered >> 8);
}

/* The key under both prefixes of a pair, as its short (16 bits) or its long one (28 bits). */
static void handed_key(uint8_t *key, uint32_t pair) {
    memset(key, 0x5a, key_bytes);
    memcpy(key, (uint8_t[]){0xee, (uint8_t)(pair * 11), 7, 0x11}, KEY_BYTES);
}

/* Every other eight of them by its first 24 bits only, which no other key has. */
static struct macs_match *numbered_match(struct own_match *own, uint32_t n) {
    uint8_t key[KEY_MAX];
    numbered_key(key, n);
    return prefixes && n & 8 ? prefix(own, key, key_bytes, 24) : exactly(own, key, key_bytes);
}

static struct value numbered_value(uint32_t n, uint64_t version) {
    return make_value(version << 32 | n);
}

static void check_numbered(uint32_t n, const struct macs_entry *found) {
    CHECK(found || n % 4 >= 2);
    CHECK(!found || n % 4 != 3);
    if (found)
        CHECK((uint32_t)id_of(found) == n && ((const struct value *)found)->not_id == ~id_of(found));
}

static void read_batch(uint64_t *random) {
    const struct macs_entry *found[BATCH];
    uint8_t keys[BATCH * KEY_MAX];
    uint32_t numbers[BATCH];
    uint64_t ids[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        numbers[i] = (uint32_t)(next_random(random) >> 33) % numbered;
        numbered_key(keys + (size_t)i * key_bytes, numbers[i]);
    }
    (subject->bulk && next_random(random) >> 63 ? subject->bulk : subject->batch)(table, keys, key_bytes, found);
    for (uint32_t i = 0; i < BATCH; i++) {
        check_numbered(numbers[i], found[i]);
        ids[i] = id_of(found[i]);
    }
    if (prefixes) {
        for (uint32_t i = 0; i < 4; i++) {
            handed_key(keys, (uint32_t)(next_random(random) >> 33) % HANDED);
            CHECK(subject->lookup(table, keys, key_bytes) != NULL);
        }
    }
    for (uint32_t i = 0; i < BATCH; i++)
        CHECK(id_of(found[i]) == ids[i] && (!found[i] || ((const struct value *)found[i])->not_id == ~ids[i]));
}

static void *reader(void *seed) {
    uint64_t random = (uint64_t)(uintptr_t)seed, batches = 0;
    struct macs_qsbr_reader *self = NULL;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    for (; !atomic_load(&stop); batches++) {
        read_batch(&random);
        macs_qsbr_quiescent(qsbr, self);
        if (batches % 64 == 63) {
            macs_qsbr_offline(self);
            macs_qsbr_online(qsbr, self);
        }
    }
    macs_qsbr_unregister(self);
    atomic_fetch_add(&lookups, batches * BATCH);
    return NULL;
}

static void hand_over(uint32_t pair, bool to_long) {
    uint8_t key[KEY_MAX];
    struct own_match from, to;
    struct value value = make_value(pair);
    handed_key(key, pair);
    CHECK(subject->ops->add(table, prefix(&to, key, key_bytes, to_long ? 28 : 16), &value, NULL) == 0);
    CHECK(subject->ops->remove(table, prefix(&from, key, key_bytes, to_long ? 16 : 28)) == 0);
}

static void change(uint64_t *random, bool *present, bool *handed, uint64_t version) {
    uint32_t n = (uint32_t)(next_random(random) >> 33) % numbered, pair = n % HANDED;
    struct own_match own;
    struct value value = numbered_value(n, version);
    numbered_match(&own, n);
    if (subject->ops->tidy && version % 64 == 0)
        CHECK(subject->ops->tidy(table) == 0);
    if (n % 4 == 1) {
        CHECK(subject->ops->modify(table, &own.match, &value) == 0);
    } else if (n % 4 == 2) {
        if (present[n])
            CHECK(subject->ops->remove(table, &own.match) == 0);
        else
            CHECK(subject->ops->add(table, &own.match, &value, NULL) == 0);
        present[n] = !present[n];
    } else if (prefixes) {
        hand_over(pair, !handed[pair]);
        handed[pair] = !handed[pair];
    }
}

static void fill(void) {
    struct own_match own;
    uint8_t key[KEY_MAX];
    for (uint32_t n = 0; n < numbered; n++) {
        struct value value = numbered_value(n, 0);
        if (n % 4 < 2)
            CHECK(subject->ops->add(table, numbered_match(&own, n), &value, NULL) == 0);
    }
    for (uint32_t pair = 0; pair < HANDED && prefixes; pair++) {
        struct value value = make_value(pair);
        handed_key(key, pair);
        CHECK(subject->ops->add(table, prefix(&own, key, key_bytes, 16), &value, NULL) == 0);
    }
}

/* As many as keys and a table of it allow, three quarters of which are there at once, and a multiple of four. */
static uint32_t numbered_of(const struct subject *tested) {
    const uint32_t wanted = tested->ops == &macs_linear_ops ? 200 : NUMBERED_MAX;
    const uint32_t room = at_most(tested, NUMBERED_MAX) - (prefixes ? HANDED + 1 : 0),
                   keys = key_bytes == 1 ? 256 : wanted;
    const uint32_t most = keys < wanted ? keys : wanted;
    return (room < most ? room : most) & ~3u;
}

int main(int argc, char **argv) {
    static bool present[NUMBERED_MAX], handed[HANDED];
    if (argc != 4)
        return 2;
    char where[100];
    snprintf(where, sizeof where, "concurrent %s %s %s", argv[1], argv[2], argv[3]);
    context = where;
    subject = subject_named(argv[1]);
    key_bytes = some_bytes(subject);
    prefixes = subject->can & PREFIXES && key_bytes >= KEY_BYTES && subject->size_max > 2 * HANDED;
    numbered = numbered_of(subject);
    uint64_t random = strtoull(argv[3], NULL, 10) * 2 + 1, changes = 0;
    struct macs_table_shape shape = whole_key_shape(subject, key_bytes, numbered / 4 * 3 + (prefixes ? HANDED + 1 : 0));
    CHECK(macs_qsbr_create(&qsbr) == 0 && subject->ops->create(&shape, qsbr, &table) == 0);
    fill();
    pthread_t threads[READERS];
    for (uintptr_t i = 0; i < READERS; i++)
        CHECK(pthread_create(&threads[i], NULL, reader, (void *)(i * 977 + 12345)) == 0);
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (int i = 0; i < 16; i++)
            change(&random, present, handed, ++changes);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < atol(argv[2]));
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    subject->ops->destroy(table);
    macs_qsbr_destroy(qsbr);
    printf("ok: %llu changes, %llu lookups\n", (unsigned long long)changes, (unsigned long long)atomic_load(&lookups));
    return 0;
}
