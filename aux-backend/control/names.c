#include "control/names.h"

#include <string.h>

/* Names longer than this are not compared letter by letter. */
#define NAME_MAX_LENGTH 127u

/* True: `wanted` is the whole name or its end behind a dot. */
static bool is_end(const char *name, const char *wanted) {
    size_t length = strlen(name), end = strlen(wanted);
    if (end > length || strcmp(name + length - end, wanted) != 0)
        return false;
    return end == length || name[length - end - 1] == '.';
}

/* Letters to insert, delete or replace to make b of a. Source: V. Levenshtein (1966). */
static unsigned distance(const char *a, const char *b) {
    unsigned row[NAME_MAX_LENGTH + 1];
    size_t length = strlen(b);
    if (length > NAME_MAX_LENGTH || strlen(a) > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;
    for (unsigned j = 0; j <= length; j++)
        row[j] = j;
    for (unsigned i = 0; a[i]; i++) {
        unsigned diagonal = row[0];
        row[0] = i + 1;
        for (unsigned j = 0; j < length; j++) {
            unsigned replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            unsigned best = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            row[j + 1] = replaced < best ? replaced : best;
        }
    }
    return row[length];
}

/* The distance to the nearest end of the name. */
static unsigned nearest_end(const char *name, const char *wanted) {
    unsigned best = distance(name, wanted);
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        unsigned here = distance(dot + 1, wanted);
        best = here < best ? here : best;
    }
    return best;
}

static void unknown(const struct macs_names *names, const char *wanted, struct macs_text *why) {
    unsigned best = (unsigned)strlen(wanted) / 3 + 1;
    const char *near = NULL;
    for (unsigned i = 0; i < names->count; i++) {
        unsigned here = nearest_end(names->name(names->list, i), wanted);
        if (here < NAME_MAX_LENGTH && here <= best && (!near || here < best)) {
            best = here;
            near = names->name(names->list, i);
        }
    }
    macs_text_fail(why, "no %s '%.200s'", names->what, wanted);
    if (near) {
        macs_text_add(why, "; did you mean '%s'?", near);
        return;
    }
    macs_text_add(why, names->count ? "; there is" : "; there is none");
    for (unsigned i = 0; i < names->count && i < 8; i++)
        macs_text_add(why, "%s %s", i ? "," : "", names->name(names->list, i));
    if (names->count > 8)
        macs_text_add(why, ", and %u more", names->count - 8);
}

int macs_names_find(const struct macs_names *names, const char *wanted, struct macs_text *why) {
    int found = -1, again = -1;
    for (unsigned i = 0; i < names->count; i++)
        if (!strcmp(names->name(names->list, i), wanted))
            return (int)i;
    for (unsigned i = 0; i < names->count; i++) {
        if (!is_end(names->name(names->list, i), wanted))
            continue;
        again = found;
        found = (int)i;
    }
    if (found >= 0 && again < 0)
        return found;
    if (found < 0)
        unknown(names, wanted, why);
    else
        macs_text_fail(why, "%s '%s' may be '%s' or '%s'", names->what, wanted,
                       names->name(names->list, (unsigned)again), names->name(names->list, (unsigned)found));
    return -1;
}
