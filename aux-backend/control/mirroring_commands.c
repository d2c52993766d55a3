/* Commands for clone sessions. */
#include <inttypes.h>

#include "control/console.h"
#include "control/value.h"
#include "runtime/mirror.h"
#include "runtime/queues.h"

static int parse_session(const char *word, uint32_t *session, struct macs_text *answer) {
    uint64_t value;
    *session = 0;
    if (!macs_value_uint64(word, &value) || value >= MACS_NO_SESSION)
        return macs_text_fail(answer, "'%.80s' is not a clone session (0 to %u)", word, MACS_NO_SESSION - 1u);
    *session = (uint32_t)value;
    return 0;
}

/* [BYTES [PRIORITY]] */
static int parse_limits(const struct macs_switch *sw, unsigned count, char **words, struct macs_mirror *mirror,
                        struct macs_text *answer) {
    uint64_t bytes = 0, priority = 0;
    if (count > 0 && (!macs_value_uint64(words[0], &bytes) || bytes > MACS_MIRROR_BYTES_MAX))
        return macs_text_fail(answer, "'%.80s' is not a length of clones (0: whole, to %u)", words[0],
                              MACS_MIRROR_BYTES_MAX);
    const bool has_one = sw->queues || sw->program->tells_service;
    const unsigned most = sw->queues ? sw->queues->priorities - 1 : MACS_MIRROR_PRIORITY_MAX;
    if (count > 1 && (!macs_value_uint64(words[1], &priority) || (priority && !has_one)))
        return macs_text_fail(answer,
                              "'%.80s': clones have a priority only where ports have queues or egress asks for their "
                              "class of service",
                              words[1]);
    if (priority > most)
        return macs_text_fail(answer, "'%.80s' is not a priority (0 to %u)", words[1], most);
    mirror->bytes = (uint32_t)bytes;
    mirror->priority = (uint8_t)priority;
    return 0;
}

/* SESSION NUMBER [BYTES [PRIORITY]], the number from `low` on. */
static int add(struct macs_console *console, unsigned count, char **words, enum macs_mirror_kind kind, const char *what,
               uint64_t low, struct macs_text *answer) {
    struct macs_mirror mirror = {.kind = kind};
    uint32_t session;
    uint64_t number;
    if (parse_session(words[0], &session, answer))
        return -1;
    if (!macs_value_uint64(words[1], &number) || number < low ||
        !(kind == MACS_MIRROR_PORT ? macs_switch_takes_port(console->sw, number) : number <= UINT16_MAX))
        return macs_text_fail(answer, "'%.80s' is not a %s", words[1], what);
    mirror.number = (uint32_t)number;
    if (parse_limits(console->sw, count - 2, words + 2, &mirror, answer))
        return -1;
    return macs_mirror_set(console->sw, session, mirror);
}

static int mirroring_add(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    return add(console, count, words, MACS_MIRROR_PORT, "port", 0, answer);
}

static int mirroring_add_mc(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    return add(console, count, words, MACS_MIRROR_GROUP, "multicast group", 1, answer);
}

static int no_session(uint32_t session, struct macs_text *answer) {
    return macs_text_fail(answer, "there is no clone session %" PRIu32, session);
}

static int mirroring_delete(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t session;
    if (parse_session(words[0], &session, answer))
        return -1;
    if (macs_mirror_get(console->sw, session).kind == MACS_MIRROR_NONE)
        return no_session(session, answer);
    return macs_mirror_set(console->sw, session, (struct macs_mirror){0});
}

static int mirroring_get(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t session;
    if (parse_session(words[0], &session, answer))
        return -1;
    const struct macs_mirror mirror = macs_mirror_get(console->sw, session);
    if (mirror.kind == MACS_MIRROR_NONE)
        return no_session(session, answer);
    macs_text_add(answer, "clone session %" PRIu32 ": %s %" PRIu32, session,
                  mirror.kind == MACS_MIRROR_PORT ? "port" : "multicast group", mirror.number);
    if (mirror.bytes)
        macs_text_add(answer, ", at most %" PRIu32 " bytes", mirror.bytes);
    if (mirror.priority)
        macs_text_add(answer, ", priority %u", mirror.priority);
    macs_text_add(answer, "\n");
    return 0;
}

const struct macs_command macs_mirroring_commands[] = {
    {"mirroring_add", mirroring_add, 2, 4, "SESSION PORT [BYTES [PRIORITY]]", "clones of the session go to a port"},
    {"mirroring_add_mc", mirroring_add_mc, 2, 4, "SESSION GROUP [BYTES [PRIORITY]]",
     "clones of the session go to a multicast group"},
    {"mirroring_delete", mirroring_delete, 1, 1, "SESSION", "forget a clone session"},
    {"mirroring_get", mirroring_get, 1, 1, "SESSION", "where clones of a session go"},
    {0},
};
