/* Digests: what fits is queued as it was sent, in order, and counted; what does not is counted as lost. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <macs/extern.h>

#include "runtime/digest.h"

enum { SLOTS = 4096 };

static const struct macs_digest_field fields[] = {{"a", 1}, {"b", 8}, {"c", 9}, {"d", 48}};
static const struct macs_extern_desc descs[] = {
    {.kind = MACS_COUNTER}, {.kind = MACS_DIGEST, .fields = fields, .field_count = 4}, {.kind = MACS_DIGEST}};
static const struct macs_program program = {.extern_count = 3, .extern_descs = descs},
                                 without = {.extern_count = 1, .extern_descs = descs};

int main(void) {
    struct macs_digest_queue queue = {.sent = 0};
    struct macs_bell bell = {.wanted = false};
    struct macs_digest digest = {.queue = &queue, .index = 1};
    uint8_t record[10] = {0};
    uint32_t length;
    assert(macs_digest_queue_init(&queue, &without, &bell) == 0 && !queue.ring.slots);
    digest.bytes = macs_digest_bytes(&descs[1]);
    assert(digest.bytes == 1 + 1 + 2 + 6 && macs_digest_bytes(&descs[2]) == 0);
    assert(macs_digest_queue_init(&queue, &program, &bell) == 0);
    for (unsigned i = 0; i < SLOTS; i++) {
        record[0] = (uint8_t)i, record[9] = (uint8_t)(i >> 8);
        macs_digest_send(&digest, record, 10);
    }
    assert(queue.sent == SLOTS && queue.lost == 0);
    macs_digest_send(&digest, record, 10); /* no room */
    macs_digest_send(&digest, record, 9);
    macs_digest_send(&digest, record, 11);
    assert(queue.sent == SLOTS && queue.lost == 3);
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct macs_digest_record *found = macs_ring_peek(&queue.ring, &length);
        assert(found && length == sizeof(*found) + 10 && found->index == 1);
        assert(found->bytes[0] == (uint8_t)i && found->bytes[9] == (uint8_t)(i >> 8));
        macs_ring_pop(&queue.ring);
    }
    assert(!macs_ring_peek(&queue.ring, &length));
    macs_digest_send(&digest, record, 10); /* there is room again */
    assert(queue.sent == SLOTS + 1 && queue.lost == 3 && macs_ring_peek(&queue.ring, &length));
    macs_digest_queue_fini(&queue);
    puts("ok");
    return 0;
}
