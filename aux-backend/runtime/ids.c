#include "runtime/ids.h"

#include <errno.h>
#include <stdlib.h>

/* Clients are trusted, so that a fixed multiplication will do: the golden ratio's. */
static uint64_t home_of(const struct macs_ids *ids, uint64_t id) {
    const uint64_t product = id * UINT64_C(0x9e3779b97f4a7c15);
    return (product ^ product >> 32) & ids->mask;
}

int macs_ids_init(struct macs_ids *ids, uint32_t size) {
    uint64_t places = 16;
    while (places < (uint64_t)size * 2)
        places *= 2;
    *ids = (struct macs_ids){.mask = places - 1};
    ids->ids = calloc((size_t)size + 1, sizeof(ids->ids[0]));
    ids->places = calloc(places, sizeof(ids->places[0]));
    return ids->ids && ids->places ? 0 : -ENOMEM;
}

void macs_ids_fini(struct macs_ids *ids) {
    free(ids->ids);
    free(ids->places);
}

/* Where the id is, or the empty place where it would be. */
static uint64_t place_of(const struct macs_ids *ids, uint64_t id) {
    uint64_t place = home_of(ids, id);
    while (ids->places[place] && ids->ids[ids->places[place] - 1] != id)
        place = (place + 1) & ids->mask;
    return place;
}

void macs_ids_set(struct macs_ids *ids, uint32_t handle, uint64_t id) {
    ids->places[place_of(ids, id)] = handle + 1;
    ids->ids[handle] = id;
}

void macs_ids_clear(struct macs_ids *ids, uint32_t handle) {
    const uint64_t id = ids->ids[handle];
    if (!id)
        return;
    uint64_t hole = place_of(ids, id);
    ids->places[hole] = 0;
    ids->ids[handle] = 0;
    /* Those behind it that are not at home move up, so that they are found without the one that is gone. */
    for (uint64_t at = (hole + 1) & ids->mask; ids->places[at]; at = (at + 1) & ids->mask) {
        const uint64_t home = home_of(ids, ids->ids[ids->places[at] - 1]);
        if (((at - home) & ids->mask) < ((at - hole) & ids->mask))
            continue;
        ids->places[hole] = ids->places[at];
        ids->places[at] = 0;
        hole = at;
    }
}

int macs_ids_find(const struct macs_ids *ids, uint64_t id, uint32_t *handle) {
    const uint32_t found = id ? ids->places[place_of(ids, id)] : 0;
    *handle = found - 1;
    return found ? 0 : -ENOENT;
}
