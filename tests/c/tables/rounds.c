/* Two entries beside each other that come and go again and again take no more memory than after the first rounds.
 * Usage: rounds KERNEL.
 */
#include "support.h"

enum { ROUNDS = 50000, FIRST_ROUNDS = 500, LONGEST = 16 };

static const struct subject *subject;
static uint32_t bytes;

/* As 2001:db8:N:100::/64 of 16 bytes. */
static struct macs_match *route(struct own_match *own, uint8_t number) {
    uint8_t key[LONGEST] = {0x20};
    key[bytes * 6 / 16] = 1;
    key[bytes * 5 / 16] = number;
    return subject->can & PREFIXES ? prefix(own, key, bytes, bytes * 4) : exactly(own, key, bytes);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    subject = subject_named(argv[1]);
    bytes = subject->key_max < LONGEST ? subject->key_max : LONGEST;
    const struct macs_table_shape shape = whole_key_shape(subject, bytes, at_most(subject, 8));
    const struct value values[] = {make_value(1), make_value(2)};
    struct own_match own;
    uint64_t before = 0;
    void *self = NULL;
    context = subject->name;
    CHECK(subject->ops->create(&shape, NULL, &self) == 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        CHECK(subject->ops->add(self, route(&own, 1), &values[0], NULL) == 0);
        CHECK(subject->ops->add(self, route(&own, 2), &values[1], NULL) == 0);
        CHECK(subject->ops->remove(self, route(&own, 1)) == 0);
        CHECK(id_of(subject->lookup(self, own.value, bytes)) == 0);
        CHECK(id_of(subject->lookup(self, route(&own, 2)->value, bytes)) == 2);
        CHECK(subject->ops->remove(self, route(&own, 2)) == 0);
        if (round == FIRST_ROUNDS)
            before = subject->ops->memory_bytes(self);
    }
    CHECK(subject->ops->memory_bytes(self) <= before);
    subject->ops->destroy(self);
    puts("ok");
    return 0;
}
