/* Sequences against an array: random splices, with versions that a reader still holds, and without memory. */
#include "support.h"

#include <macs/sequence.h>

enum { MOST = 5000, HELD = 4 };

struct item {
    uint32_t number, not_number, third;
};

struct model {
    uint32_t count;
    struct item items[MOST];
};

static uint32_t state;

static uint32_t below(uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * bound >> 32);
}

static void check(const struct macs_sequence *list, const struct model *model) {
    uint32_t at = 0;
    CHECK(list->count == model->count);
    for (uint32_t part = 0; part < list->part_count; part++) {
        const struct macs_sequence_run *run = list->parts[part].run;
        CHECK(list->parts[part].start == at && run->count > 0 && run->count <= MACS_SEQUENCE_RUN);
        CHECK(memcmp(run->items, &model->items[at], run->count * sizeof(struct item)) == 0);
        at += run->count;
    }
    CHECK(at == list->count);
    for (uint32_t i = 0; i < list->count; i += 1 + below(100))
        CHECK(memcmp(macs_sequence_at(list, sizeof(struct item), i), &model->items[i], sizeof(struct item)) == 0);
}

/* Neighbours are not both so short that they could be one: the parts are no more than the items are worth. */
static void check_parts(const struct macs_sequence *list) {
    CHECK(list->part_count <= 4 * list->count / MACS_SEQUENCE_RUN + 2);
}

/* Take out some and put in others, in both. */
static struct macs_sequence *change(struct macs_sequence *list, struct model *model, uint32_t at, uint32_t removed,
                                    uint32_t added) {
    struct item items[MOST];
    for (uint32_t i = 0; i < added; i++)
        items[i] = (struct item){state + i, ~(state + i), i};
    CHECK(macs_sequence_splice(&list, sizeof(items[0]), at, removed, items, added) == 0);
    memmove(&model->items[at + added], &model->items[at + removed],
            (model->count - at - removed) * sizeof(model->items[0]));
    memcpy(&model->items[at], items, added * sizeof(items[0]));
    model->count = model->count + added - removed;
    return list;
}

/* Many at a time, few, one: growing first, then shrinking. */
static void random_changes(void) {
    static struct model models[HELD];
    struct macs_sequence *versions[HELD] = {macs_sequence_create()};
    CHECK(versions[0] != NULL);
    models[0].count = 0;
    uint32_t now = 0, rounds = 20000;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t next = (now + 1) % HELD, most = round % 100 ? 3 : 1500, count = models[now].count;
        uint32_t at = below(count + 1), removed = below(most), added = below(most) + (round < rounds / 2) * below(2);
        removed = removed < count - at ? removed : count - at;
        added = count - removed + added < MOST ? added : 0;
        if (versions[next])
            macs_sequence_retire(NULL, versions[next]); /* the oldest one */
        models[next] = models[now];
        versions[next] = change(versions[now], &models[next], at, removed, added);
        now = next;
        for (uint32_t i = 0; i < HELD; i++)
            if (versions[i])
                check(versions[i], &models[i]);
    }
    for (uint32_t i = 1; i < HELD; i++)
        macs_sequence_retire(NULL, versions[(now + i) % HELD]);
    macs_sequence_destroy(versions[now]);
}

/* One at a time: at the end, at the beginning, in the middle; then away, from everywhere. */
static void single_changes(int place) {
    static struct model model;
    struct macs_sequence *list = macs_sequence_create(), *old;
    CHECK(list != NULL);
    model.count = 0;
    for (uint32_t i = 0; i < 2 * MOST; i++) {
        uint32_t end = i < MOST ? model.count : model.count - 1;
        uint32_t at = place == 0 ? end : place == 1 ? 0 : place == 2 ? end / 2 : below(end + 1);
        old = list;
        list = change(list, &model, at, i >= MOST, i < MOST);
        macs_sequence_retire(NULL, old);
        check_parts(list);
        if (i % 97 == 0)
            check(list, &model);
    }
    CHECK(list->count == 0 && list->part_count == 0);
    macs_sequence_destroy(list);
}

int main(int argc, char **argv) {
    state = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
    random_changes();
    for (int place = 0; place < 4; place++)
        single_changes(place);
    puts("ok");
    return 0;
}
