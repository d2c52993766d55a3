/* Commands for clone sessions. */
#include <inttypes.h>

#include "control/console.h"
#include "control/value.h"
#include "runtime/mirror.h"

static int parse_session(const char *word, uint32_t *session, struct macs_text *answer) {
    uint64_t value;
    *session = 0;
    if (!macs_value_uint64(word, &value) || value >= MACS_NO_SESSION)
        return macs_text_fail(answer, "'%.80s' is not a clone session (0 to %u)", word, MACS_NO_SESSION - 1u);
    *session = (uint32_t)value;
    return 0;
}

/* SESSION NUMBER, the number from `low` on. */
static int add(struct macs_console *console, char **words, enum macs_mirror_kind kind, const char *what, uint64_t low,
               struct macs_text *answer) {
    uint32_t session;
    uint64_t number;
    if (parse_session(words[0], &session, answer))
        return -1;
    if (!macs_value_uint64(words[1], &number) || number < low ||
        !(kind == MACS_MIRROR_PORT ? macs_switch_takes_port(console->sw, number) : number <= UINT16_MAX))
        return macs_text_fail(answer, "'%.80s' is not a %s", words[1], what);
    return macs_mirror_set(console->sw, session, kind, (uint32_t)number);
}

static int mirroring_add(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return add(console, words, MACS_MIRROR_PORT, "port", 0, answer);
}

static int mirroring_add_mc(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return add(console, words, MACS_MIRROR_GROUP, "multicast group", 1, answer);
}

static int no_session(uint32_t session, struct macs_text *answer) {
    return macs_text_fail(answer, "there is no clone session %" PRIu32, session);
}

static int mirroring_delete(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t session;
    uint32_t number;
    if (parse_session(words[0], &session, answer))
        return -1;
    if (macs_mirror_get(console->sw, session, &number) == MACS_MIRROR_NONE)
        return no_session(session, answer);
    return macs_mirror_set(console->sw, session, MACS_MIRROR_NONE, 0);
}

static int mirroring_get(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t session;
    uint32_t number;
    if (parse_session(words[0], &session, answer))
        return -1;
    switch (macs_mirror_get(console->sw, session, &number)) {
    case MACS_MIRROR_NONE:
        break;
    case MACS_MIRROR_PORT:
        macs_text_add(answer, "clone session %" PRIu32 ": port %" PRIu32 "\n", session, number);
        return 0;
    case MACS_MIRROR_GROUP:
        macs_text_add(answer, "clone session %" PRIu32 ": multicast group %" PRIu32 "\n", session, number);
        return 0;
    }
    return no_session(session, answer);
}

const struct macs_command macs_mirroring_commands[] = {
    {"mirroring_add", mirroring_add, 2, 2, "SESSION PORT", "clones of the session go to a port"},
    {"mirroring_add_mc", mirroring_add_mc, 2, 2, "SESSION GROUP", "clones of the session go to a multicast group"},
    {"mirroring_delete", mirroring_delete, 1, 1, "SESSION", "forget a clone session"},
    {"mirroring_get", mirroring_get, 1, 1, "SESSION", "where clones of a session go"},
    {0},
};
