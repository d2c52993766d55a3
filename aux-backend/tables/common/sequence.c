/* The writer's side of sequences; see macs/sequence.h. */
#include <macs/sequence.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct splice {
    const struct macs_sequence *old;
    uint32_t item_bytes;
    uint32_t at, removed, added;
    const uint8_t *items;
    uint32_t first, taken; /* the parts of the old version that are made anew */
    uint32_t begin, count; /* the items that they will hold, of the new version */
    uint32_t runs;
};

struct macs_sequence *macs_sequence_create(void) {
    return calloc(1, sizeof(struct macs_sequence));
}

enum { LINE = 64 };

/* Where the run of a version stands that is in the version's own line. */
static struct macs_sequence_run *own_run(struct macs_sequence *list) {
    return (struct macs_sequence_run *)(void *)&list->parts[1];
}

static bool fits_in_line(uint32_t count, uint32_t item_bytes) {
    const size_t head = sizeof(struct macs_sequence) + sizeof(struct macs_sequence_part);
    return head + sizeof(struct macs_sequence_run) + (uint64_t)count * item_bytes <= LINE;
}

static void free_runs(struct macs_sequence *list, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++)
        if (list->parts[i].run != own_run(list))
            free(list->parts[i].run);
}

void macs_sequence_destroy(struct macs_sequence *list) {
    if (!list)
        return;
    free_runs(list, 0, list->part_count);
    free(list);
}

void macs_sequence_release(void *owner, void *list) {
    (void)owner;
    macs_sequence_destroy(list);
}

void macs_sequence_retire(void *owner, void *list) {
    struct macs_sequence *old = list;
    (void)owner;
    free_runs(old, old->own, old->own_count);
    free(old);
}

uint64_t macs_sequence_memory(const struct macs_sequence *list, uint32_t item_bytes) {
    return sizeof(*list) + list->part_count * (sizeof(list->parts[0]) + sizeof(*list->parts[0].run)) +
           (uint64_t)list->count * item_bytes;
}

static uint32_t end_of(const struct macs_sequence *list, uint32_t part) {
    return list->parts[part].start + list->parts[part].run->count;
}

/* Which parts a change touches: those of the items that go, or the one where the new ones go; and the next one, if with
 * it they are still half a run at most, so that there are no more runs than the items are worth. */
static void choose_parts(struct splice *splice) {
    const struct macs_sequence *old = splice->old;
    uint32_t low = 0, high = old->part_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (old->parts[middle].start <= splice->at)
            low = middle;
        else
            high = middle;
    }
    uint32_t end = low;
    splice->first = low;
    splice->begin = splice->count = 0;
    if (old->part_count) {
        splice->begin = old->parts[low].start;
        while (++end < old->part_count && old->parts[end].start < splice->at + splice->removed)
            ;
        splice->count = end_of(old, end - 1) - splice->begin;
    }
    splice->count = splice->count - splice->removed + splice->added;
    if (end < old->part_count && splice->count + old->parts[end].run->count <= MACS_SEQUENCE_RUN / 2)
        splice->count += old->parts[end++].run->count;
    splice->taken = end - splice->first;
    splice->runs = (splice->count + MACS_SEQUENCE_RUN - 1) / MACS_SEQUENCE_RUN;
}

/* Copy `count` items of the old version from number `from` on: the end of what has been written. */
static uint8_t *copy_old(const struct splice *splice, uint8_t *to, uint32_t from, uint32_t count) {
    while (count) {
        uint32_t part = splice->first;
        while (end_of(splice->old, part) <= from)
            part++;
        uint32_t left = end_of(splice->old, part) - from, now = count < left ? count : left;
        memcpy(to, macs_sequence_at(splice->old, splice->item_bytes, from), (size_t)now * splice->item_bytes);
        to += (size_t)now * splice->item_bytes;
        from += now;
        count -= now;
    }
    return to;
}

/* The items of the parts that are made anew, one behind the other. */
static void gather(const struct splice *splice, uint8_t *to) {
    uint32_t before = splice->at - splice->begin, behind = splice->count - splice->added - before;
    to = copy_old(splice, to, splice->begin, before);
    if (splice->added)
        memcpy(to, splice->items, (size_t)splice->added * splice->item_bytes);
    copy_old(splice, to + (size_t)splice->added * splice->item_bytes, splice->at + splice->removed, behind);
}

/* Runs of those items, as long as each other; one that fits in its version's line is there. */
static int make_runs(const struct splice *splice, const uint8_t *items, struct macs_sequence *list) {
    struct macs_sequence_part *const parts = &list->parts[splice->first];
    for (uint32_t i = 0, done = 0; i < splice->runs; i++) {
        uint32_t count = (splice->count - done) / (splice->runs - i);
        const bool own = list->part_count == 1 && fits_in_line(count, splice->item_bytes);
        struct macs_sequence_run *run = own ? own_run(list) : malloc(sizeof(*run) + (size_t)count * splice->item_bytes);
        if (!run) {
            while (i > 0)
                free(parts[--i].run);
            return -ENOMEM;
        }
        run->count = count;
        memcpy(run->items, items + (size_t)done * splice->item_bytes, (size_t)count * splice->item_bytes);
        parts[i] = (struct macs_sequence_part){run, splice->begin + done};
        done += count;
    }
    return 0;
}

/* The new version, but for the runs that are made anew. */
static struct macs_sequence *make_list(const struct splice *splice) {
    const struct macs_sequence *old = splice->old;
    uint32_t behind = splice->first + splice->taken, rest = old->part_count - behind;
    uint32_t part_count = splice->first + splice->runs + rest;
    const bool small = part_count == 1 && fits_in_line(splice->count, splice->item_bytes);
    struct macs_sequence *list =
        small ? aligned_alloc(LINE, LINE) : malloc(sizeof(*list) + part_count * sizeof(list->parts[0]));
    if (!list)
        return NULL;
    *list = (struct macs_sequence){.count = old->count + splice->added - splice->removed, .part_count = part_count};
    memcpy(list->parts, old->parts, splice->first * sizeof(list->parts[0]));
    struct macs_sequence_part *to = &list->parts[splice->first + splice->runs];
    for (uint32_t i = 0; i < rest; i++) {
        to[i] = old->parts[behind + i];
        to[i].start += splice->added - splice->removed;
    }
    return list;
}

int macs_sequence_splice(struct macs_sequence **list, uint32_t item_bytes, uint32_t at, uint32_t removed,
                         const void *items, uint32_t added) {
    struct macs_sequence *old = *list;
    struct splice splice = {
        .old = old, .item_bytes = item_bytes, .at = at, .removed = removed, .added = added, .items = items};
    choose_parts(&splice);
    struct macs_sequence *next = make_list(&splice);
    uint8_t *gathered = malloc((size_t)splice.count * item_bytes + 1);
    int error = next && gathered ? 0 : -ENOMEM;
    if (!error) {
        gather(&splice, gathered);
        error = make_runs(&splice, gathered, next);
    }
    free(gathered);
    if (error) {
        free(next);
        return error;
    }
    old->own = splice.first;
    old->own_count = splice.taken;
    *list = next;
    return 0;
}
