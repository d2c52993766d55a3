/* Entries that come, change and go again and again take no more memory than in the first rounds; destroyed, the table
 * leaves nothing. Some are beside each other and some far away, within each other, or have masks of their own.
 * Usage: rounds KERNEL KEY_BYTES EXACT_BYTES (in front of the prefix) ROUNDS
 * Link with --wrap for malloc, calloc, realloc, aligned_alloc, free, macs_memory_alloc and macs_memory_free.
 */
#include "counted.h"

enum { ENTRIES = 24, PLACES = 4, SHARED = 3 };
enum { SLACK = 2048 /* what is allocated may be some bytes more than it was asked for */ };

static const struct subject *subject;
static uint32_t bytes, exact_bytes, rounds;

/* Where the wanted bits of entry n end, and what it has there. */
static struct macs_match *entry(struct own_match *own, uint32_t n, bool alike) {
    const uint32_t part = n % PLACES + 1, first = exact_bytes < bytes ? exact_bytes : 0;
    const uint32_t at = alike ? bytes - 1 : first + (bytes - first) * part / PLACES - (part == PLACES);
    uint8_t key[KEY_MAX] = {0x20};
    key[at < bytes ? at : bytes - 1] ^= (uint8_t)(n << 3);
    exactly(own, key, bytes);
    if (alike)
        return &own->match;
    if (subject->can & PREFIXES && exact_bytes < bytes)
        own->match.prefix_bits = (at + 1) * 8 - n / PLACES % 3;
    if (subject->can & MASKS) {
        own->mask[exact_bytes ? n % exact_bytes : 0] &= exact_bytes ? (uint8_t)(0xff << n % 3) : 0xff;
        own->match.priority = (int32_t)(n % 2);
    }
    return &own->match;
}

static void each(void *self, bool alike, uint32_t round) {
    struct own_match own;
    for (uint32_t n = 0; n < ENTRIES; n++) {
        const struct value value = make_value(1 + n % SHARED);
        CHECK(subject->ops->add(self, entry(&own, n, alike), &value, NULL) == 0);
    }
    for (uint32_t n = 0; n < ENTRIES; n++) {
        const struct value value = make_value(n % 2 ? 1 + n % SHARED : 100 + n + round % 2);
        CHECK(subject->ops->modify(self, entry(&own, n, alike), &value) == 0);
    }
    CHECK(subject->ops->count(self) == ENTRIES);
    for (uint32_t n = 0; n < ENTRIES; n++)
        CHECK(subject->ops->remove(self, entry(&own, round % 2 ? n : ENTRIES - 1 - n, alike)) == 0);
    CHECK(subject->ops->count(self) == 0);
}

static void in_rounds(bool alike, bool indexed) {
    struct macs_table_shape shape = whole_key_shape(subject, bytes, ENTRIES);
    struct macs_qsbr *qsbr = NULL;
    void *self = NULL;
    uint64_t most[2] = {0}, most_said[2] = {0};
    shape.prefix_offset = exact_bytes;
    shape.indexed = indexed;
    CHECK(macs_qsbr_create(&qsbr) == 0);
    const uint64_t before = all_bytes();
    CHECK(subject->ops->create(&shape, qsbr, &self) == 0);
    for (uint32_t round = 0; round < rounds; round++) {
        const int later = round >= rounds / 2;
        each(self, alike, round);
        CHECK(macs_qsbr_flush(qsbr) == 0);
        const uint64_t now = all_bytes() - before, said = subject->ops->memory_bytes(self);
        most[later] = now > most[later] ? now : most[later];
        most_said[later] = said > most_said[later] ? said : most_said[later];
    }
    CHECK(most[1] <= most[0] + SLACK && most_said[1] <= most_said[0]);
    subject->ops->destroy(self);
    CHECK(all_bytes() == before);
    macs_qsbr_destroy(qsbr);
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    subject = subject_named(argv[1]);
    bytes = (uint32_t)atoi(argv[2]);
    exact_bytes = (uint32_t)atoi(argv[3]);
    rounds = (uint32_t)atoi(argv[4]);
    context = subject->name;
    for (int kind = 0; kind < 4; kind++)
        in_rounds(kind % 2, kind / 2);
    puts("ok");
    return 0;
}
