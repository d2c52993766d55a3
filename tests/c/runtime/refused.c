/* Changes of groups and members that cannot be made, as a reader hangs: all is as before, and the same change can be
 * made later. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <macs/qsbr.h>

#include "runtime/multicast.h"
#include "runtime/profile.h"

static int hangs; /* what who wants to release something is told */
static unsigned asked;
static struct { /* what is released later, if it is to be so */
    bool wanted;
    macs_qsbr_release_fn *release;
    void *owner, *what;
} late;

int macs_qsbr_reserve(struct macs_qsbr *qsbr, uint32_t count) {
    (void)qsbr, (void)count;
    asked++;
    return hangs;
}

void macs_qsbr_defer(struct macs_qsbr *qsbr, macs_qsbr_release_fn *release, void *owner, void *what) {
    (void)qsbr;
    assert(!hangs && asked);
    if (late.wanted)
        late.release = release, late.owner = owner, late.what = what;
    else
        release(owner, what);
}

int macs_qsbr_flush(struct macs_qsbr *qsbr) {
    (void)qsbr;
    return hangs;
}

void macs_qsbr_drop(struct macs_qsbr *qsbr, const void *owner) {
    (void)qsbr, (void)owner;
}

/* --- multicast ------------------------------------------------------------------------------------------------------
 */

static struct macs_multicast *multicast;

/* The ports of a group, as digits; "-": there is no such group. */
static bool reaches(uint16_t group, const char *ports) {
    const struct macs_sequence *list = macs_multicast_find(multicast, group);
    char found[20] = "-";
    for (uint32_t i = 0; list && i <= list->count; i++)
        found[i] = (char)(i < list->count ? '0' + macs_multicast_replica(list, i).port : 0);
    if (strcmp(found, ports))
        fprintf(stderr, "'%s' instead of '%s'\n", found, ports);
    return !strcmp(found, ports);
}

static void check_multicast(void) {
    static const uint32_t numbers[] = {1, 2, 3, 4, 5, 6};
    const struct macs_targets two = {numbers, NULL, 2, 0}, one = {numbers + 2, NULL, 1, 0}, lag = {NULL, numbers, 0, 1};
    uint32_t first, second, third;
    assert(macs_multicast_create(&multicast, NULL) == 0);
    assert(macs_multicast_group_create(multicast, 7) == 0 && macs_multicast_group_create(multicast, 8) == 0);
    assert(macs_multicast_node_create(multicast, 0, &two, &first) == 0);
    assert(macs_multicast_node_create(multicast, 0, &one, &second) == 0);
    assert(macs_multicast_node_create(multicast, 0, &lag, &third) == 0);
    assert(macs_multicast_associate(multicast, 7, first) == 0 && macs_multicast_associate(multicast, 7, third) == 0);
    for (unsigned times = 0; times < 2; times++) {
        hangs = -EBUSY;
        assert(macs_multicast_node_update(multicast, first, &one) == -EBUSY);
        assert(macs_multicast_associate(multicast, 7, second) == -EBUSY);
        assert(macs_multicast_dissociate(multicast, 7, first) == -EBUSY);
        assert(macs_multicast_node_destroy(multicast, first) == -EBUSY);
        assert(macs_multicast_group_destroy(multicast, 7) == -EBUSY);
        assert(macs_multicast_clear(multicast) == -EBUSY);
        assert(reaches(7, "12") && reaches(8, "") && multicast->nodes[first].port_count == 2);
        assert(macs_multicast_node_update(multicast, second, &two) == 0); /* of no group: nobody reads it */
        assert(macs_multicast_node_update(multicast, second, &one) == 0);
        hangs = 0;
    }
    assert(macs_multicast_associate(multicast, 8, second) == 0 && reaches(8, "3"));
    assert(macs_multicast_dissociate(multicast, 8, second) == 0 && reaches(8, ""));
    assert(macs_multicast_associate(multicast, 7, second) == 0 && reaches(7, "123"));
    hangs = -EBUSY;
    assert(macs_multicast_lag_set(multicast, 1, numbers + 5, 1) == -EBUSY && reaches(7, "123"));
    hangs = 0;
    assert(macs_multicast_lag_set(multicast, 1, numbers + 5, 1) == 0 && reaches(7, "1263"));
    assert(macs_multicast_node_update(multicast, first, &one) == 0 && reaches(7, "363"));
    assert(macs_multicast_node_destroy(multicast, first) == 0 && reaches(7, "63"));
    assert(macs_multicast_clear(multicast) == 0 && reaches(7, "-") && reaches(8, "-"));
    assert(macs_multicast_node_destroy(multicast, second) == -ESRCH && !multicast->lags[1].known);
    macs_multicast_destroy(multicast);
}

/* --- members --------------------------------------------------------------------------------------------------------
 */

enum { SIZE = 20, ID = 1000 };

static struct macs_profile *profile;

/* The members of the group 0, as letters, and that these and no others are in use. */
static bool is_of(const char *members) {
    char found[SIZE + 1] = "";
    const uint32_t count = macs_profile_group_count(profile, 0);
    for (uint32_t i = 0; i < count; i++)
        found[i] = (char)('a' + macs_profile_group_member(profile, 0, i));
    if (strcmp(found, members))
        fprintf(stderr, "'%s' instead of '%s'\n", found, members);
    for (uint32_t i = 0; i < SIZE; i++)
        assert(macs_profile_member_used(profile, i) == (strchr(members, 'a' + (int)i) != NULL));
    return !strcmp(found, members);
}

static void check_profile(void) {
    static const uint32_t all[SIZE] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    static const struct {
        const uint32_t *members;
        uint32_t count;
        const char *letters;
    } groups[] = {{all, 2, "ab"}, {all + 4, 13, "efghijklmnopq"}, {all + 2, 15, "cdefghijklmnopq"}, {all, 0, ""}};
    uint32_t handle, found;
    assert(macs_profile_create(&profile, SIZE, sizeof(struct macs_entry), NULL) == 0);
    assert(macs_profile_group_create(profile, ID, &handle) == 0 && handle == 0);
    for (uint32_t i = 0; i < SIZE - 1; i++)
        assert(macs_profile_member_create(profile, ID + i, &(const struct macs_entry){.action = i}, &handle) == 0);
    for (unsigned i = 0; i < 4; i++) {
        assert(macs_profile_group_set(profile, 0, groups[i].members, groups[i].count) == 0);
        assert(is_of(groups[i].letters));
        hangs = -EBUSY;
        for (unsigned other = 0; other < 4; other++)
            assert(macs_profile_group_set(profile, 0, groups[other].members, groups[other].count) == -EBUSY);
        assert(macs_profile_group_add(profile, 0, 18) == -EBUSY);
        if (groups[i].count)
            assert(macs_profile_group_remove(profile, 0, groups[i].members[1]) == -EBUSY);
        assert(macs_profile_group_delete(profile, 0) == -EBUSY);
        assert(macs_profile_member_modify(profile, 18, &(const struct macs_entry){.action = 99}) == -EBUSY);
        assert(macs_profile_member_delete(profile, 18) == -EBUSY);
        hangs = 0;
        assert(is_of(groups[i].letters) && macs_profile_member(profile, 18)->action == 18);
        assert(macs_profile_group_find(profile, ID, &found) == 0 && found == 0);
        assert(macs_profile_member_find(profile, ID + 18, &found) == 0 && found == 18);
        assert(macs_profile_member_create(profile, 0, &(const struct macs_entry){.action = 19}, &handle) == 0);
        assert(handle == 19 && macs_profile_member_delete(profile, 19) == 0); /* the only handle that is free */
    }
    assert(macs_profile_group_add(profile, 0, 18) == 0 && is_of("s"));
    assert(macs_profile_group_remove(profile, 0, 18) == 0 && is_of(""));
    assert(macs_profile_member_modify(profile, 18, &(const struct macs_entry){.action = 99}) == 0);
    late.wanted = true;
    assert(macs_profile_member_delete(profile, 18) == 0 && late.release);
    hangs = -EBUSY; /* a reader may still have the value that was at that handle */
    assert(macs_profile_member_create(profile, ID + 18, &(const struct macs_entry){.action = 5}, &handle) == -EBUSY);
    assert(macs_profile_member_find(profile, ID + 18, &found) == -ENOENT && !macs_profile_member(profile, 18));
    hangs = 0;
    late.wanted = false;
    late.release(late.owner, late.what);
    assert(macs_profile_member_create(profile, ID + 18, &(const struct macs_entry){.action = 5}, &handle) == 0);
    assert(handle == 18 && macs_profile_member(profile, 18)->action == 5);
    assert(macs_profile_group_delete(profile, 0) == 0);
    macs_profile_destroy(profile);
}

int main(void) {
    check_multicast();
    check_profile();
    puts("ok");
    return 0;
}
