/* Prefixes within one of 24 bits, of all lengths and beside each other: all keys find the longest one, always. */
#include <stdlib.h>

#include "support.h"

enum { CHANGES = 2000, SHORTEST = 22 };

static uint16_t ids[33][256]; /* of the prefix of that length that has this last byte, or 0 */
static uint64_t state = 1;

static uint32_t below(uint32_t limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 32) % limit);
}

static uint16_t longest(uint32_t byte) {
    for (uint32_t length = 32; length >= SHORTEST; length--) {
        const uint32_t free = length > 24 ? 32 - length : 8;
        if (ids[length][byte >> free << free])
            return ids[length][byte >> free << free];
    }
    return 0;
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    const struct subject *subject = subject_named(argv[1]);
    const struct macs_table_shape shape = whole_key_shape(subject, 4, 600);
    state = strtoull(argv[2], NULL, 10);
    struct macs_qsbr *qsbr = NULL;
    void *self = NULL;
    context = argv[1];
    CHECK(macs_qsbr_create(&qsbr) == 0 && subject->ops->create(&shape, qsbr, &self) == 0);
    for (uint32_t change = 0; change < CHANGES; change++) {
        const uint32_t length = SHORTEST + below(33 - SHORTEST), free = length > 24 ? 32 - length : 8;
        const uint8_t last = (uint8_t)(below(2) ? below(32) : below(256)) >> free << free;
        const uint8_t key[4] = {10, 0, 0, last};
        uint16_t *id = &ids[length][last];
        struct own_match own;
        prefix(&own, key, 4, length);
        if (*id) {
            CHECK(subject->ops->remove(self, &own.match) == 0);
            *id = 0;
        } else {
            const struct value value = make_value(*id = (uint16_t)(1 + change));
            CHECK(subject->ops->add(self, &own.match, &value, NULL) == 0);
        }
        for (uint32_t byte = 0; byte < 256; byte++)
            CHECK(id_of(subject->lookup(self, (const uint8_t[]){10, 0, 0, (uint8_t)byte}, 4)) == longest(byte));
    }
    subject->ops->destroy(self);
    macs_qsbr_destroy(qsbr);
    printf("ok\n");
    return 0;
}
