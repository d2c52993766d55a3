#include "runtime/mirror.h"

#include <errno.h>

/* A session is one word, so that workers see all of it or nothing: bytes (24 bits), priority (6), kind (2), number (32)
 * from the top down. */
enum { KIND_AT = 32, PRIORITY_AT = 34, BYTES_AT = 40 };

int macs_mirror_set(struct macs_switch *sw, uint32_t session, struct macs_mirror mirror) {
    if (session >= MACS_NO_SESSION)
        return -EINVAL;
    const uint64_t word = (uint64_t)mirror.bytes << BYTES_AT | (uint64_t)mirror.priority << PRIORITY_AT |
                          (uint64_t)mirror.kind << KIND_AT | mirror.number;
    atomic_store_explicit(&sw->mirrors[session], word, memory_order_relaxed);
    return 0;
}

struct macs_mirror macs_mirror_get(const struct macs_switch *sw, uint32_t session) {
    const uint64_t word =
        session < MACS_NO_SESSION ? atomic_load_explicit(&sw->mirrors[session], memory_order_relaxed) : 0;
    return (struct macs_mirror){
        .kind = (enum macs_mirror_kind)(word >> KIND_AT & 3),
        .number = (uint32_t)word,
        .bytes = (uint32_t)(word >> BYTES_AT),
        .priority = (uint8_t)(word >> PRIORITY_AT & MACS_MIRROR_PRIORITY_MAX),
    };
}

struct macs_mirror_targets macs_mirror_find(const struct macs_switch *sw, uint16_t session) {
    const struct macs_mirror mirror = macs_mirror_get(sw, session);
    struct macs_mirror_targets targets = {.bytes = mirror.bytes, .priority = mirror.priority};
    switch (mirror.kind) {
    case MACS_MIRROR_NONE:
        break;
    case MACS_MIRROR_PORT:
        targets.single.port = mirror.number;
        targets.count = 1;
        break;
    case MACS_MIRROR_GROUP:
        targets.group = macs_multicast_find(sw->multicast, (uint16_t)mirror.number);
        targets.count = targets.group ? targets.group->count : 0;
        break;
    }
    return targets;
}
