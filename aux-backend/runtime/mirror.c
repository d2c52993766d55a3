#include "runtime/mirror.h"

#include <errno.h>

int macs_mirror_set(struct macs_switch *sw, uint32_t session, enum macs_mirror_kind kind, uint32_t number) {
    if (session >= MACS_NO_SESSION)
        return -EINVAL;
    atomic_store_explicit(&sw->mirrors[session], (uint64_t)kind << 32 | number, memory_order_relaxed);
    return 0;
}

enum macs_mirror_kind macs_mirror_get(const struct macs_switch *sw, uint32_t session, uint32_t *number) {
    uint64_t mirror = session < MACS_NO_SESSION ? atomic_load_explicit(&sw->mirrors[session], memory_order_relaxed) : 0;
    *number = (uint32_t)mirror;
    return (enum macs_mirror_kind)(mirror >> 32);
}

struct macs_mirror_targets macs_mirror_find(const struct macs_switch *sw, uint16_t session) {
    struct macs_mirror_targets targets = {0};
    uint32_t number;
    switch (macs_mirror_get(sw, session, &number)) {
    case MACS_MIRROR_NONE:
        break;
    case MACS_MIRROR_PORT:
        targets.single.port = number;
        targets.count = 1;
        break;
    case MACS_MIRROR_GROUP:
        targets.group = macs_multicast_find(sw->multicast, (uint16_t)number);
        targets.count = targets.group ? targets.group->count : 0;
        break;
    }
    return targets;
}
