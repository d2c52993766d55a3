/* Ternary entries of few keys and one mask, which differ in priority, and now and then one of another mask or range:
 * whichever of them come, change and go, each key finds the best.
 * Usage: alike SEED.
 */
#include "support.h"

enum { KEY_BYTES = 9, KEYS = 24, PRIORITIES = 3, OTHERS = 8, CHANGES = 3000, TIDIED = 6 };

static const struct macs_key_field fields[] = {{"number", 16, 0, MACS_RANGE, 0}, {"rest", 56, 2, MACS_TERNARY, 0}};
static uint64_t state;

static uint32_t below(uint32_t limit) {
    return (uint32_t)(next_random(&state) >> 33) % limit;
}

/* The first byte, and the upper half of the second and the last one tell keys apart. */
static void key_of(uint8_t *key, uint32_t n, uint8_t rest) {
    memset(key, 0x21, KEY_BYTES);
    key[1] = (uint8_t)(n % 6 << 4 | rest);
    key[KEY_BYTES - 1] = (uint8_t)(n / 6 << 4 | rest);
}

/* `other`: 0, or which other range or mask it has. */
static struct macs_match *match_of(struct own_match *own, uint32_t n, uint32_t other, bool ranges) {
    uint8_t key[KEY_BYTES];
    key_of(key, n, 0);
    exactly(own, key, KEY_BYTES);
    own->mask[KEY_BYTES - 1] = other & 1 ? 0xf8 : 0xf0;
    if (ranges) {
        own->value[1] = (uint8_t)(key[1] | (other & 2 ? 1 : 0));
        own->high[1] = (uint8_t)(key[1] | (other & 4 ? 14 : 15));
    } else {
        own->mask[1] = other & 2 ? 0xf8 : 0xf0;
    }
    own->match.priority = (int32_t)below(PRIORITIES);
    return &own->match;
}

static void check(const struct subject *subject, const void *self, const void *reference) {
    uint8_t keys[BATCH * KEY_BYTES];
    const struct macs_entry *found[BATCH];
    for (uint32_t i = 0; i < BATCH; i++)
        key_of(keys + i * KEY_BYTES, below(KEYS), (uint8_t)(below(2) ? 15 * below(2) : below(16)));
    subject->bulk(self, keys, KEY_BYTES, found);
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint8_t *key = keys + i * KEY_BYTES;
        CHECK(id_of(found[i]) == id_of(expected_of(reference, key, KEY_BYTES)));
        CHECK(subject->lookup(self, key, KEY_BYTES) == found[i]);
    }
}

static void test(const struct subject *subject, bool ranges) {
    struct macs_table_shape shape = whole_key_shape(subject, KEY_BYTES, KEYS * PRIORITIES + OTHERS);
    struct macs_qsbr *qsbr = NULL;
    void *self = NULL, *reference = NULL;
    struct own_match others[OTHERS] = {0}, own;
    uint32_t by_mask = 0;
    shape.prefix_offset = KEY_BYTES;
    if (ranges) {
        shape.fields = fields;
        shape.field_count = 2;
    }
    CHECK(macs_qsbr_create(&qsbr) == 0 && subject->ops->create(&shape, qsbr, &self) == 0);
    CHECK(macs_linear_ops.create(&shape, NULL, &reference) == 0);
    for (uint32_t change = 0; change < CHANGES; change++) {
        const struct value value = make_value(change + 1);
        const uint32_t kind = below(5), other = below(60) ? 0 : 1 + below(7);
        struct own_match *another = &others[change / TIDIED % OTHERS];
        struct macs_match *match = match_of(&own, below(KEYS), other, ranges);
        if (other) /* which goes again soon */
            match = match_of(another, below(KEYS), other, ranges);
        if (kind < 2 || other)
            CHECK(subject->ops->add(self, match, &value, NULL) == macs_linear_ops.add(reference, match, &value, NULL));
        else if (kind < 3)
            CHECK(subject->ops->modify(self, match, &value) == macs_linear_ops.modify(reference, match, &value));
        else
            CHECK(subject->ops->remove(self, match) == macs_linear_ops.remove(reference, match));
        for (uint32_t i = 0; change % (2 * TIDIED) == 0 && i < OTHERS; i++)
            if (others[i].match.value)
                CHECK(subject->ops->remove(self, &others[i].match) ==
                      macs_linear_ops.remove(reference, &others[i].match));
        if (change % TIDIED == 0)
            CHECK(subject->ops->tidy(self) == 0);
        check(subject, self, reference);
        const char *way = subject->ops->way(self);
        by_mask += way && strcmp(way, "one mask") == 0;
    }
    CHECK(by_mask > 0);
    subject->ops->destroy(self);
    macs_linear_ops.destroy(reference);
    macs_qsbr_destroy(qsbr);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    context = argv[1];
    state = strtoull(argv[1], NULL, 10) | 1;
    test(subject_named("ternary_cells"), false);
    test(subject_named("ternary_cells"), true);
    puts("ok");
    return 0;
}
