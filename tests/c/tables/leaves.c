/* Leaves of lpm_dir24's runs are given back and taken again, where there are more than 65,536 pairs of them. Bulk
 * lookups begin with the runs. Built with MACS_LPM_RUNS_PAY_PERCENT=100: whatever the leaves say. */
#include "support.h"

#include "tables/lpm/lpm_dir24.h"

enum { BITS = 24, CHANGES = 1500000, IDS = 499 };

static uint16_t expected[1 << BITS]; /* the id of each prefix of 24 bits, or 0 */
static uint64_t state = 1;

static uint32_t next(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 32) % below);
}

static struct macs_match *numbered(struct own_match *own, uint32_t number) {
    const uint8_t key[4] = {(uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number, 0};
    prefix(own, key, 4, BITS);
    return &own->match;
}

int main(void) {
    const struct macs_table_ops *ops = &macs_lpm_dir24_ops;
    const struct subject *subject = subject_named("lpm_dir24");
    struct macs_table_shape shape = whole_key_shape(subject, 4, CHANGES);
    struct macs_qsbr *qsbr = NULL;
    struct own_match own;
    void *self = NULL;
    context = "leaves";
    CHECK(macs_qsbr_create(&qsbr) == 0 && ops->create(&shape, qsbr, &self) == 0);
    for (uint32_t change = 0; change < CHANGES; change++) {
        const uint32_t number = next(1 << 22); /* a quarter of all words: many leaves in each */
        const uint16_t id = (uint16_t)(1 + next(IDS));
        const struct value value = make_value(id);
        if (!expected[number])
            CHECK(ops->add(self, numbered(&own, number), &value, NULL) == 0);
        else if (id % 2)
            CHECK(ops->modify(self, numbered(&own, number), &value) == 0);
        else
            CHECK(ops->remove(self, numbered(&own, number)) == 0);
        expected[number] = expected[number] && id % 2 == 0 ? 0 : id;
    }
    for (uint32_t number = 0; number < 1 << 22; number += BATCH) {
        const struct macs_entry *found[BATCH];
        uint8_t keys[BATCH * 4];
        for (uint32_t i = 0; i < BATCH; i++) {
            memcpy(keys + 4 * i, numbered(&own, number + i)->value, 4);
            CHECK(id_of(subject->lookup(self, own.value, 4)) == expected[number + i]);
        }
        subject->bulk(self, keys, 4, found);
        for (uint32_t i = 0; i < BATCH; i++)
            CHECK(id_of(found[i]) == expected[number + i]);
    }
    CHECK(((const struct macs_lpm_dir24 *)self)->runs.top / 2 > UINT16_MAX);
    CHECK(ops->reader_bytes(self) < sizeof(uint32_t) << BITS); /* less than lookups that begin with the base */
    ops->destroy(self);
    macs_qsbr_destroy(qsbr);
    printf("ok\n");
    return 0;
}
