/* Ternary entries none of which looks at the last byte of the key, and then some that do: other keys miss these,
 * whether the table was tidied or not.
 */
#include "support.h"

enum { KEY_BYTES = 13, BEFORE = 60, LATER = 10, LAST = KEY_BYTES - 1 };

/* Each with a mask of its own. */
static struct macs_match *random_match(struct own_match *own, uint64_t *state, int32_t priority) {
    uint8_t key[KEY_BYTES];
    for (uint32_t i = 0; i < KEY_BYTES; i++)
        key[i] = (uint8_t)(next_random(state) >> 40);
    exactly(own, key, KEY_BYTES);
    for (uint32_t i = 0; i < LAST; i++)
        own->mask[i] = (uint8_t)(next_random(state) >> 40);
    own->mask[LAST] = priority ? 0xff : 0;
    own->match.priority = priority;
    return &own->match;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    const struct subject *subject = subject_named(argv[1]);
    struct macs_table_shape shape = whole_key_shape(subject, KEY_BYTES, 2 * BEFORE);
    uint64_t state = strtoull(argv[2], NULL, 10) | 1;
    struct own_match own;
    void *self = NULL;
    context = argv[2];
    shape.prefix_offset = KEY_BYTES;
    CHECK(subject->ops->create(&shape, NULL, &self) == 0);
    for (uint32_t id = 1; id <= BEFORE + LATER; id++) {
        const struct value value = make_value(id);
        const bool later = id > BEFORE;
        CHECK(subject->ops->add(self, random_match(&own, &state, later ? (int32_t)id : 0), &value, NULL) == 0);
        if (id == BEFORE && subject->ops->tidy)
            CHECK(subject->ops->tidy(self) == 0);
        CHECK(id_of(subject->lookup(self, own.value, KEY_BYTES)) == id);
        own.value[LAST] ^= 1;
        CHECK((id_of(subject->lookup(self, own.value, KEY_BYTES)) == id) == !later);
    }
    subject->ops->destroy(self);
    puts("ok");
    return 0;
}
