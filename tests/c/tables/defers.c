/* Random changes as in random.c, each of which releases no more than it has made sure of room for: the backlog of what
 * waits for readers can't overflow, whatever they do.
 * Usage: as random. Link with --wrap for macs_qsbr_reserve and macs_qsbr_defer too.
 */
#include "random.c"

static uint32_t room; /* of the last reservation, that is left */

int __real_macs_qsbr_reserve(struct macs_qsbr *qsbr, uint32_t count);
int __wrap_macs_qsbr_reserve(struct macs_qsbr *qsbr, uint32_t count);
void __real_macs_qsbr_defer(struct macs_qsbr *qsbr, macs_qsbr_release_fn *release, void *owner, void *what);
void __wrap_macs_qsbr_defer(struct macs_qsbr *qsbr, macs_qsbr_release_fn *release, void *owner, void *what);

int __wrap_macs_qsbr_reserve(struct macs_qsbr *qsbr, uint32_t count) {
    room = qsbr ? count : room;
    return __real_macs_qsbr_reserve(qsbr, count);
}

void __wrap_macs_qsbr_defer(struct macs_qsbr *qsbr, macs_qsbr_release_fn *release, void *owner, void *what) {
    CHECK(!qsbr || room-- > 0);
    __real_macs_qsbr_defer(qsbr, release, owner, what);
}
