/* The widest keys that kernels take, all of whose bytes count; keys that are wider by one byte are refused. */
#include "support.h"

enum { WIDEST = 1024, SAME = 40, ENTRIES = 60 };

static const struct {
    const char *name;
    uint32_t bytes;
    bool most; /* that it takes */
} kernels[] = {{"linear", 300, false},       {"exact_hash", 300, false},  {"exact_index", 2, true},
               {"lpm_dir24", 4, true},       {"lpm_trie", 1024, true},    {"lpm_trie_plain", 1024, true},
               {"ternary_cells", 256, true}, {"ternary_tuple", 256, true}};

static uint8_t key[WIDEST], mask[WIDEST];

/* The first entries have the same mask. */
static struct macs_match numbered(const struct subject *subject, uint32_t bytes, uint8_t n) {
    memset(key, 0, bytes);
    memset(mask, 0xff, bytes);
    key[0] = (uint8_t)(3 * n);
    key[bytes / 2] = (uint8_t)(7 * n);
    key[bytes - 1] = n;
    if (subject->can & MASKS && n >= SAME)
        mask[n * 37u % (bytes - 1)] = 0;
    return (struct macs_match){key, mask, key, bytes * 8, 0};
}

static void check_all(const struct subject *subject, void *self, uint32_t bytes, uint8_t count) {
    for (uint8_t n = 0; n < ENTRIES; n++) {
        const struct macs_match match = numbered(subject, bytes, n);
        CHECK(id_of(subject->lookup(self, key, bytes)) == (n < count ? n + 1u : 0));
        CHECK(id_of(subject->ops->find(self, &match)) == (n < count ? n + 1u : 0));
        for (uint32_t at = 0; at < bytes; at += bytes / 2) {
            const uint32_t changed = at < bytes - 1 ? at : bytes - 1;
            key[changed] ^= 0x80;
            CHECK(!subject->lookup(self, key, bytes) || !mask[changed]);
            key[changed] ^= 0x80;
        }
        key[bytes - 1] ^= 0x80;
        CHECK(!subject->lookup(self, key, bytes));
    }
}

static void test(const struct subject *subject, uint32_t bytes, bool most) {
    struct macs_table_shape shape = whole_key_shape(subject, bytes, ENTRIES);
    void *self = NULL;
    context = subject->name;
    if (subject->can & MASKS)
        shape.prefix_offset = bytes;
    CHECK(subject->ops->create(&shape, NULL, &self) == 0);
    for (uint8_t n = 0; n < ENTRIES; n++) {
        const struct value value = make_value(n + 1u);
        const struct macs_match match = numbered(subject, bytes, n);
        CHECK(subject->ops->add(self, &match, &value, NULL) == 0);
        if (n % 20 == 10 || n + 1 == ENTRIES || n + 1 == SAME)
            check_all(subject, self, bytes, n + 1);
        if (n + 1 == SAME && subject->ops->tidy)
            CHECK(subject->ops->tidy(self) == 0);
    }
    if (subject->ops->tidy)
        CHECK(subject->ops->tidy(self) == 0);
    check_all(subject, self, bytes, ENTRIES);
    subject->ops->destroy(self);
    shape = whole_key_shape(subject, bytes + 1, ENTRIES);
    if (most)
        CHECK(subject->ops->create(&shape, NULL, &self) == -EINVAL);
}

int main(void) {
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        test(subject_named(kernels[i].name), kernels[i].bytes, kernels[i].most);
    puts("ok");
    return 0;
}
