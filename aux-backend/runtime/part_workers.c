#include "runtime/part_workers.h"

#include <stdio.h>

#include "runtime/shown.h"

unsigned macs_part_workers_count(void) {
    unsigned count = 1;
    while (macs_program.ingress_back[count - 1])
        count++;
    return count;
}

/* As many for each part, the rest for the first one. */
static void share_out(struct macs_part_workers *parts, unsigned workers) {
    for (unsigned part = parts->count; part--;)
        parts->each[part] = workers / parts->count;
    parts->each[0] += workers % parts->count;
}

/* Each worker hands over to one of the next part, so that packets stay in order: no part has more than the one before.
 */
static bool is_dealt_well(const struct macs_part_workers *parts, unsigned workers) {
    unsigned sum = parts->each[0];
    bool fine = true;
    for (unsigned part = 1; part < parts->count; part++) {
        sum += parts->each[part];
        fine &= parts->each[part] && parts->each[part] <= parts->each[part - 1];
    }
    return fine && sum == workers;
}

static bool check_whole(struct macs_part_workers *parts, unsigned given, unsigned behind, unsigned workers) {
    parts->each[0] = workers;
    if (!given && !behind)
        return true;
    macs_tell(stderr, "error: --%s-workers: the program is in one piece; build it with --cut\n",
              given ? "part" : "back");
    return false;
}

bool macs_part_workers_check(struct macs_part_workers *parts, unsigned behind, unsigned workers) {
    const unsigned given = parts->count;
    parts->count = macs_part_workers_count();
    if (parts->count == 1)
        return check_whole(parts, given, behind, workers);
    if (!given)
        share_out(parts, workers);
    if (behind) {
        parts->each[0] = workers - behind;
        parts->each[1] = behind;
    }
    if ((!given || given == parts->count) && (!behind || parts->count == 2) && is_dealt_well(parts, workers))
        return true;
    macs_tell(stderr,
              "error: the program is cut in %u parts: each of them needs workers, no more than the part before, %u "
              "together; see --workers, --back-workers and --part-workers\n",
              parts->count, workers);
    return false;
}
