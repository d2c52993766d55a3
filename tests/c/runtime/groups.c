/* Multicast groups and groups of members, with more in them than one run of a sequence, beside plain arrays of what
 * they must have: what packets get is read as workers read it. */
#include "runtime/ids.h"
#include "runtime/multicast.h"
#include "runtime/profile.h"

#include <assert.h>
#include <errno.h>
#include <macs/qsbr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1500, PORTS = 3, GROUPS = 2, MEMBERS = 1500, STEPS = 12000 };

static uint32_t state = 1;

static uint32_t below(uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * bound >> 32);
}

struct node {
    int group; /* 0: none */
    uint32_t count;
    uint32_t ports[PORTS];
};

/* The nodes of the groups 1 and 2 in the order in which they were associated. */
struct book {
    struct node nodes[NODES];
    uint32_t order[GROUPS + 1][NODES];
    uint32_t count[GROUPS + 1];
};

static void check_group(const struct macs_multicast *multicast, const struct book *book, int group) {
    const struct macs_sequence *found = macs_multicast_find(multicast, (uint16_t)group);
    uint32_t at = 0;
    for (uint32_t i = 0; i < book->count[group]; i++) {
        uint32_t handle = book->order[group][i];
        for (uint32_t port = 0; port < book->nodes[handle].count; port++, at++) {
            assert(at < found->count);
            struct macs_replica replica = macs_multicast_replica(found, at);
            assert(replica.port == book->nodes[handle].ports[port] && replica.rid == (uint16_t)(handle * 7));
        }
    }
    assert(at == found->count);
}

/* Ascending, none to PORTS of them. */
static void choose_ports(struct node *node) {
    node->count = below(PORTS + 1);
    for (uint32_t i = 0; i < node->count; i++)
        node->ports[i] = i * 100 + below(100);
}

static void strike(struct book *book, uint32_t handle) {
    int group = book->nodes[handle].group;
    uint32_t at = 0;
    while (book->order[group][at] != handle)
        at++;
    memmove(&book->order[group][at], &book->order[group][at + 1],
            (--book->count[group] - at) * sizeof(book->order[group][0]));
    book->nodes[handle].group = 0;
}

static void change_node(struct macs_multicast *multicast, struct book *book, uint32_t handle, int group) {
    struct node *node = &book->nodes[handle];
    if (below(3) == 0) {
        choose_ports(node);
        assert(macs_multicast_node_update(multicast, handle,
                                          &(struct macs_targets){node->ports, NULL, node->count, 0}) == 0);
    } else if (node->group == 0) {
        assert(macs_multicast_associate(multicast, (uint16_t)group, handle) == 0);
        node->group = group;
        book->order[group][book->count[group]++] = handle;
    } else if (below(4) == 0) {
        assert(macs_multicast_associate(multicast, (uint16_t)group, handle) == -EBUSY);
        assert(macs_multicast_dissociate(multicast, (uint16_t)(3 - node->group), handle) == -EINVAL);
        assert(macs_multicast_dissociate(multicast, (uint16_t)node->group, handle) == 0);
        strike(book, handle);
    }
}

static void check_multicast(void) {
    static struct book book;
    struct macs_multicast *multicast;
    assert(macs_multicast_create(&multicast, NULL) == 0);
    assert(macs_multicast_group_create(multicast, 1) == 0 && macs_multicast_group_create(multicast, 2) == 0);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t handle;
        choose_ports(&book.nodes[i]);
        struct macs_targets targets = {book.nodes[i].ports, NULL, book.nodes[i].count, 0};
        assert(macs_multicast_node_create(multicast, (uint16_t)(i * 7), &targets, &handle) == 0 && handle == i);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        change_node(multicast, &book, below(NODES), below(5) ? 1 : 2);
        if (step % 16 == 0)
            check_group(multicast, &book, 1 + (step / 16) % GROUPS);
    }
    assert(macs_multicast_find(multicast, 1)->part_count > 2);
    while (book.count[1] > 0) { /* a destroyed node leaves its group, a destroyed group its nodes */
        uint32_t handle = book.order[1][below(book.count[1])];
        assert(macs_multicast_node_destroy(multicast, handle) == 0);
        strike(&book, handle);
    }
    check_group(multicast, &book, 1);
    uint32_t free_again = book.order[2][0];
    assert(macs_multicast_group_destroy(multicast, 2) == 0 && macs_multicast_find(multicast, 2) == NULL);
    assert(macs_multicast_associate(multicast, 1, free_again) == 0);
    macs_multicast_destroy(multicast);
}

/* What an entry runs, chosen at once and step by step, as packets of a burst are. */
static const struct macs_entry *chosen_by(const struct macs_profile *profile, const struct macs_indirect *entry,
                                          uint64_t selected) {
    const struct macs_entry *at_once = macs_profile_choose(profile, &entry->head, selected);
    struct macs_profile_choice choice;
    macs_profile_follow(profile, &entry->head, selected, &choice);
    for (uint32_t step = MACS_PROFILE_AT_GROUP; step > MACS_PROFILE_AT_MEMBER; step--)
        macs_profile_lead(step, &choice);
    assert(macs_profile_chosen(&choice)->action == at_once->action);
    return at_once;
}

static void check_members(const struct macs_profile *profile, const uint8_t *there) {
    struct macs_indirect entry = {{MACS_INDIRECT_GROUP, 0}, 0};
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < MEMBERS; i++)
        count += there[i];
    for (uint32_t i = 0; i < MEMBERS; i++) {
        if (!there[i])
            continue;
        const struct macs_entry *chosen = chosen_by(profile, &entry, (uint64_t)count * 5 + at++);
        assert(chosen->action == 1 + i);
    }
    if (count == 0)
        assert(chosen_by(profile, &entry, 3)->action == MACS_NO_ACTION);
}

/* Entries that name a member, one that was changed, and none; and those with an action of their own. */
static void check_single(struct macs_profile *profile) {
    const struct macs_indirect entry = {{MACS_INDIRECT_MEMBER, 0}, 5}, own = {{7, 0}, 0};
    assert(macs_profile_member_modify(profile, 5, &(const struct macs_entry){.action = 99}) == 0);
    assert(chosen_by(profile, &entry, 0)->action == 99);
    assert(macs_profile_member_delete(profile, 5) == 0);
    assert(chosen_by(profile, &entry, 0)->action == MACS_NO_ACTION);
    assert(chosen_by(profile, &own, 0) == &own.head);
}

static void check_profile(void) {
    static uint8_t there[MEMBERS];
    struct macs_profile *profile;
    uint32_t handle;
    assert(macs_profile_create(&profile, MEMBERS, sizeof(struct macs_entry), NULL) == 0);
    assert(macs_profile_group_create(profile, 0, &handle) == 0 && handle == 0);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct macs_entry value = {.action = 1 + i};
        assert(macs_profile_member_create(profile, 0, &value, &handle) == 0 && handle == i);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t member = below(MEMBERS);
        if (there[member] && below(4) == 0) {
            assert(macs_profile_group_remove(profile, 0, member) == 0);
            there[member] = 0;
        } else {
            assert(macs_profile_group_add(profile, 0, member) == (there[member] ? -EEXIST : 0));
            there[member] = 1;
        }
        assert(macs_profile_member_delete(profile, member) == (there[member] ? -EBUSY : 0));
        if (!there[member]) {
            struct macs_entry value = {.action = 1 + member};
            assert(macs_profile_member_create(profile, 0, &value, &handle) == 0 && handle == member);
            assert(macs_profile_group_remove(profile, 0, member) == -EINVAL);
        }
        if (step % 64 == 0)
            check_members(profile, there);
    }
    const uintptr_t list = atomic_load(&profile->groups[0].list);
    assert(!(list & 1) && ((const struct macs_sequence *)list)->part_count > 1);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        if (there[i])
            assert(macs_profile_group_remove(profile, 0, i) == 0);
        there[i] = 0;
        if (i >= MEMBERS - 64) /* few are left: they come to the version's own line */
            check_members(profile, there);
    }
    check_members(profile, there);
    check_single(profile);
    macs_profile_destroy(profile);
}

static bool is_home(const struct macs_profile *profile, uint32_t handle) {
    return (const uint8_t *)macs_profile_member(profile, handle) ==
           (const uint8_t *)(macs_profile_member_at(profile, handle) + 1);
}

/* Members whose values readers may hold are elsewhere as long as that, and come home then. */
static void check_homes(void) {
    enum { FEW = 3 };
    struct macs_qsbr *qsbr;
    struct macs_qsbr_reader *reader;
    struct macs_profile *profile;
    uint32_t handle;
    struct macs_entry value = {.action = 1};
    assert(macs_qsbr_create(&qsbr) == 0 && macs_qsbr_register(qsbr, &reader) == 0);
    macs_qsbr_online(qsbr, reader);
    assert(macs_profile_create(&profile, FEW, sizeof(value), qsbr) == 0);
    for (uint32_t i = 0; i < FEW; i++)
        assert(macs_profile_member_create(profile, 0, &value, &handle) == 0 && handle == i && is_home(profile, i));
    const struct macs_entry *held = macs_profile_member(profile, 1);
    for (value.action = 2; value.action < 5; value.action++) {
        assert(macs_profile_member_modify(profile, 1, &value) == 0 && !is_home(profile, 1));
        assert(macs_profile_member(profile, 1)->action == value.action && held->action == 1);
    }
    assert(macs_profile_member_delete(profile, 2) == 0 && !macs_profile_member(profile, 2));
    assert(macs_profile_member_create(profile, 0, &value, &handle) == 0 && handle == 2 && !is_home(profile, 2));
    assert(macs_profile_member_modify(profile, 0, &value) == 0 && macs_profile_member_delete(profile, 0) == 0);
    macs_qsbr_poll(qsbr);
    assert(!is_home(profile, 1) && held->action == 1);
    macs_qsbr_quiescent(qsbr, reader);
    macs_qsbr_poll(qsbr);
    assert(is_home(profile, 1) && macs_profile_member(profile, 1)->action == 4);
    assert(is_home(profile, 2) && macs_profile_member(profile, 2)->action == 5 && !macs_profile_member(profile, 0));
    assert(macs_profile_member_create(profile, 0, &value, &handle) == 0 && handle == 0 && is_home(profile, 0));
    assert(macs_profile_member_modify(profile, 1, &value) == 0); /* it never comes home */
    macs_qsbr_offline(reader);
    macs_profile_destroy(profile);
    macs_qsbr_unregister(reader);
    macs_qsbr_destroy(qsbr);
}

struct reading {
    struct macs_profile *profile;
    struct macs_qsbr *qsbr;
    atomic_bool done;
    uint64_t reads;
};

/* 12 of 13 members, and 11 of 12 that are all one: the count of one group with the members of the other gives 11. */
enum { CHOSEN = 155, ONE = 5 };

/* What is chosen is of the group as it was before a change or after it. */
static void *read_group(void *argument) {
    struct reading *reading = argument;
    const struct macs_indirect entry = {{MACS_INDIRECT_GROUP, 0}, 0};
    struct macs_qsbr_reader *reader;
    assert(macs_qsbr_register(reading->qsbr, &reader) == 0);
    macs_qsbr_online(reading->qsbr, reader);
    while (!atomic_load(&reading->done)) {
        for (uint32_t i = 0; i < 64; i++) {
            const uint32_t action = macs_profile_choose(reading->profile, &entry.head, CHOSEN)->action;
            assert(action == 12 || action == ONE);
        }
        reading->reads++;
        macs_qsbr_quiescent(reading->qsbr, reader);
    }
    macs_qsbr_offline(reader);
    macs_qsbr_unregister(reader);
    return NULL;
}

static void check_reader(void) {
    enum { MANY = 20, CHANGES = 60000 };
    uint32_t all[MACS_PROFILE_FEW], one[MANY];
    for (uint32_t i = 0; i < MACS_PROFILE_FEW; i++)
        all[i] = i;
    for (uint32_t i = 0; i < MANY; i++)
        one[i] = ONE;
    struct reading reading = {0};
    uintptr_t before = 0;
    uint32_t handle;
    pthread_t thread;
    assert(macs_qsbr_create(&reading.qsbr) == 0);
    assert(macs_profile_create(&reading.profile, MANY, sizeof(struct macs_entry), reading.qsbr) == 0);
    for (uint32_t i = 0; i < MACS_PROFILE_FEW; i++)
        assert(macs_profile_member_create(reading.profile, 0, &(const struct macs_entry){.action = i}, &handle) == 0);
    assert(macs_profile_group_create(reading.profile, 0, &handle) == 0);
    assert(macs_profile_group_set(reading.profile, 0, one, 12) == 0);
    assert(pthread_create(&thread, NULL, read_group, &reading) == 0);
    for (uint32_t i = 0; i < CHANGES; i++) {
        const uint32_t count = i % 64 == 63 ? MANY : i % 2 ? 12 : MACS_PROFILE_FEW;
        assert(macs_profile_group_set(reading.profile, 0, count == MACS_PROFILE_FEW ? all : one, count) == 0);
        const uintptr_t list = atomic_load(&reading.profile->groups[0].list);
        assert((list & 1) == (count <= MACS_PROFILE_FEW) && list != before); /* by which readers see that it changed */
        before = list;
        assert(macs_profile_member_modify(reading.profile, ONE, &(const struct macs_entry){.action = ONE}) == 0);
    }
    atomic_store(&reading.done, true);
    assert(pthread_join(thread, NULL) == 0);
    macs_profile_destroy(reading.profile);
    macs_qsbr_destroy(reading.qsbr);
}

/* Ids name what there is and nothing else; what is in no group any more may go. */
static void check_ids(void) {
    enum { FEW = 4, ID = 1000 };
    struct macs_profile *profile;
    uint32_t handle, found, group;
    struct macs_entry value = {.action = 1};
    assert(macs_profile_create(&profile, FEW, sizeof(struct macs_entry), NULL) == 0);
    for (uint32_t i = 0; i < FEW; i++)
        assert(macs_profile_member_create(profile, i ? ID + i : 0, &value, &handle) == 0 && handle == i);
    assert(macs_profile_member_create(profile, ID, &value, &handle) == -ENOSPC);
    assert(macs_profile_member_find(profile, ID + 2, &found) == 0 && found == 2);
    assert(macs_profile_member_id(profile, 2) == ID + 2);
    assert(macs_profile_member_id(profile, 0) == MACS_PROFILE_UNNAMED);
    assert(macs_profile_member_find(profile, MACS_PROFILE_UNNAMED, &found) == 0 && found == 0);
    assert(macs_profile_member_find(profile, MACS_PROFILE_UNNAMED | 2, &found) == -ENOENT);
    assert(macs_profile_member_find(profile, ID, &found) == -ENOENT);
    for (uint64_t turn = 0; turn < 50; turn++) { /* a handle with another id each time */
        const uint64_t id = ID + 2 + turn * (UINT64_C(1) << 40);
        assert(macs_profile_member_find(profile, id, &found) == 0 && found == 2);
        assert(macs_profile_member_delete(profile, 2) == 0);
        assert(macs_profile_member_find(profile, id, &found) == -ENOENT);
        const uint64_t next = id + (UINT64_C(1) << 40);
        assert(macs_profile_member_create(profile, next, &value, &handle) == 0 && handle == 2);
        assert(macs_profile_member_id(profile, 2) == next);
        assert(macs_profile_member_find(profile, ID + 3, &found) == 0 && found == 3);
    }
    assert(macs_profile_group_create(profile, 7, &group) == 0 && group == 0);
    assert(macs_profile_group_find(profile, 7, &found) == 0 && macs_profile_group_find(profile, 8, &found) == -ESRCH);
    assert(macs_profile_group_set(profile, 0, (const uint32_t[]){0, 1, 1, 3}, 4) == 0);
    assert(macs_profile_member_used(profile, 1) && !macs_profile_member_used(profile, 2));
    assert(macs_profile_group_set(profile, 0, (const uint32_t[]){1, 3}, 2) == 0);
    assert(!macs_profile_member_used(profile, 0) && macs_profile_member_delete(profile, 1) == -EBUSY);
    assert(macs_profile_group_remove(profile, 0, 1) == 0 && !macs_profile_member_used(profile, 1));
    assert(macs_profile_member_used(profile, 3) && macs_profile_group_delete(profile, 0) == 0);
    assert(macs_profile_group_find(profile, 7, &found) == -ESRCH && macs_profile_group_delete(profile, 0) == -ESRCH);
    for (uint32_t i = 0; i < FEW; i++)
        assert(!macs_profile_member_used(profile, i) && macs_profile_member_delete(profile, i) == 0);
    const struct macs_indirect member = {{MACS_INDIRECT_MEMBER, 0}, 1}, of_group = {{MACS_INDIRECT_GROUP, 0}, 1};
    macs_profile_refer(profile, &member.head, 1);
    macs_profile_refer(profile, &member.head, 1);
    macs_profile_refer(profile, &of_group.head, 1);
    macs_profile_refer(profile, &(const struct macs_indirect){{1, 0}, 1}.head, 1); /* an entry that names nothing */
    macs_profile_refer(profile, &member.head, -1);
    assert(macs_profile_member_used(profile, 1) && macs_profile_group_used(profile, 1));
    assert(!macs_profile_member_used(profile, 0) && !macs_profile_group_used(profile, 0));
    macs_profile_refer(profile, &member.head, -1);
    macs_profile_refer(profile, &of_group.head, -1);
    assert(!macs_profile_member_used(profile, 1) && !macs_profile_group_used(profile, 1));
    macs_profile_destroy(profile);
}

/* Ids come and go beside a plain array of what each handle has: few places, so that many ids are not at home. */
static void check_many_ids(void) {
    enum { HANDLES = 40 };
    uint64_t has[HANDLES] = {0};
    struct macs_ids ids;
    assert(macs_ids_init(&ids, HANDLES) == 0);
    for (uint32_t step = 0; step < 20000; step++) {
        const uint32_t handle = below(HANDLES);
        uint32_t found;
        macs_ids_clear(&ids, handle);
        has[handle] = 0;
        const uint64_t id = 1 + below(200);
        if (macs_ids_find(&ids, id, &found) != 0 && below(4) != 0) {
            macs_ids_set(&ids, handle, id);
            has[handle] = id;
        }
        for (uint32_t i = 0; i < HANDLES && step % 8 == 0; i++)
            assert(ids.ids[i] == has[i] && (!has[i] || (macs_ids_find(&ids, has[i], &found) == 0 && found == i)));
        uint32_t other = 0;
        while (other < HANDLES && has[other] != id)
            other++;
        assert((macs_ids_find(&ids, id, &found) == 0) == (other < HANDLES));
    }
    macs_ids_fini(&ids);
}

int main(void) {
    check_many_ids();
    check_multicast();
    check_profile();
    check_ids();
    check_homes();
    check_reader();
    puts("ok");
    return 0;
}
