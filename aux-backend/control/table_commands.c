/* Commands that change tables. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "control/console.h"
#include "control/value.h"
#include "runtime/ages.h"
#include "runtime/learning.h"

static int wrong_count(const char *what, const char *of, unsigned wanted, unsigned given, struct macs_text *answer) {
    return macs_text_fail(answer, "%s needs %u %s%s, %u given", of, wanted, what, wanted == 1 ? "" : "s", given);
}

/* The action of a word and its data in console->value; `in_default`: for the default entry. */
static int parse_action(struct macs_console *console, const struct macs_table_desc *desc, const char *word,
                        unsigned count, char *const params[], bool in_default, struct macs_text *answer) {
    int action = macs_console_action(desc, word, answer);
    if (action < 0)
        return -1;
    const struct macs_action_desc *described = &desc->actions[action];
    if (described->scope == (in_default ? MACS_TABLE_ONLY : MACS_DEFAULT_ONLY))
        return macs_text_fail(answer, "action %s is for %s of table %s only", described->name,
                              in_default ? "entries" : "the default entry", desc->name);
    if (count != described->param_count)
        return wrong_count("parameter", described->name, described->param_count, count, answer);
    return macs_params_parse(desc, (uint32_t)action, params, console->value, answer);
}

static int check_changeable(const struct macs_table_desc *desc, struct macs_text *answer) {
    if (!desc->const_entries)
        return 0;
    return macs_text_fail(answer, "the entries of table %s are constant (%s)", desc->name,
                          desc->const_since ? desc->const_since : "in the program");
}

static int parse_priority(const char *word, int32_t *priority, struct macs_text *answer) {
    uint64_t value;
    if (!macs_value_uint64(word, &value) || value > INT32_MAX)
        return macs_text_fail(answer, "'%.80s' is not a priority (a number; the smaller wins)", word);
    *priority = macs_match_priority((int32_t)value);
    return 0;
}

static int duplicate(struct macs_entries *entries, const struct macs_match *match, struct macs_text *answer) {
    uint64_t handle;
    macs_console_status(entries->table->desc, -EEXIST, answer);
    if (!macs_entries_find(entries, match, &handle))
        macs_text_add(answer, " (handle %" PRIu64 ")", handle);
    return -1;
}

static void expect_add(struct macs_console *console, int count, char *words[], struct macs_text *scratch) {
    struct macs_entries *entries = macs_console_table(console, words[1], scratch);
    const struct macs_table_desc *desc = entries ? entries->table->desc : NULL;
    struct macs_match match = {.priority = 0};
    if (desc && desc->ops && desc->ops->prefetch && count >= 3 + desc->field_count &&
        !macs_match_parse(desc, words + 3, &console->buffer, &match, scratch))
        desc->ops->prefetch(entries->table->state, &match, false);
}

struct macs_prefetched macs_console_prefetch(struct macs_console *console, int count, char *words[],
                                             struct macs_text *scratch) {
    struct macs_prefetched prefetched = {0};
    if (count < 3)
        return prefetched;
    const bool modify = count > 3 && !strcmp(words[0], "table_modify");
    if (!strcmp(words[0], "table_add"))
        expect_add(console, count, words, scratch);
    else if ((modify || !strcmp(words[0], "table_delete")) &&
             macs_value_uint64(words[modify ? 3 : 2], &prefetched.handle))
        prefetched.entries = macs_console_table(console, words[1], scratch);
    return prefetched;
}

/* TABLE ACTION KEY… => PARAM… [PRIORITY] */
static int table_add(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    struct macs_match match = {.priority = 0};
    if (check_changeable(desc, answer))
        return -1;
    unsigned arrow = 2;
    while (arrow < count && strcmp(words[arrow], "=>") != 0)
        arrow++;
    if (arrow == count && macs_match_has_priority(desc))
        return macs_text_fail(answer, "no '=>' before parameters and priority");
    if (arrow - 2 != desc->field_count)
        return wrong_count("key field", desc->name, desc->field_count, arrow - 2, answer);
    unsigned end = count;
    if (macs_match_has_priority(desc)) {
        if (end == arrow + 1)
            return macs_text_fail(answer, "table %s needs a priority as the last word", desc->name);
        if (parse_priority(words[--end], &match.priority, answer))
            return -1;
    }
    unsigned first = arrow < end ? arrow + 1 : end;
    if (parse_action(console, desc, words[1], end - first, words + first, false, answer) ||
        macs_match_parse(desc, words + 2, &console->buffer, &match, answer))
        return -1;
    uint64_t handle;
    int status = macs_entries_add(entries, &match, console->value, &handle);
    if (status == -EEXIST)
        return duplicate(entries, &match, answer);
    if (!status && !console->quiet)
        macs_text_add(answer, "Entry has been added with handle %" PRIu64 "\n", handle);
    return macs_console_status(desc, status, answer);
}

/* The entries and the handle of two words. */
static struct macs_entries *parse_handle(struct macs_console *console, const char *table, const char *word,
                                         uint64_t *handle, struct macs_text *answer) {
    struct macs_entries *entries = macs_console_table(console, table, answer);
    if (!entries || check_changeable(entries->table->desc, answer))
        return NULL;
    if (macs_value_uint64(word, handle))
        return entries;
    macs_text_fail(answer, "'%.80s' is not a handle", word);
    return NULL;
}

/* TABLE ACTION HANDLE [=>] PARAM… */
static int table_modify(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint64_t handle;
    struct macs_entries *entries = parse_handle(console, words[0], words[2], &handle, answer);
    if (!entries)
        return -1;
    unsigned first = count > 3 && !strcmp(words[3], "=>") ? 4 : 3;
    const struct macs_table_desc *desc = entries->table->desc;
    if (parse_action(console, desc, words[1], count - first, words + first, false, answer))
        return -1;
    return macs_console_status(desc, macs_entries_modify(entries, handle, console->value), answer);
}

static int table_delete(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint64_t handle;
    struct macs_entries *entries = parse_handle(console, words[0], words[1], &handle, answer);
    if (!entries)
        return -1;
    return macs_console_status(entries->table->desc, macs_entries_delete(entries, handle), answer);
}

static int table_clear(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries || check_changeable(entries->table->desc, answer))
        return -1;
    int status = macs_console_clear(console, entries);
    return status == MACS_AGAIN ? status : macs_console_status(entries->table->desc, status, answer);
}

/* Entries of the program are few: they are added in one slice. */
static int table_restore(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries || check_changeable(entries->table->desc, answer))
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    int status = macs_console_clear(console, entries);
    for (uint32_t number = 0; !status && number < desc->entry_count; number++) {
        const struct macs_match match = macs_table_own_match(desc, number);
        uint64_t handle;
        status = macs_entries_add(entries, &match, desc->entries[number].value, &handle);
    }
    if (!status && !desc->const_default)
        status = macs_entries_set_default(entries, NULL);
    return status == MACS_AGAIN ? status : macs_console_status(desc, status, answer);
}

static struct macs_entries *default_store(struct macs_console *console, const char *word, struct macs_text *answer) {
    struct macs_entries *entries = macs_console_table(console, word, answer);
    if (!entries || !entries->table->desc->const_default)
        return entries;
    macs_text_fail(answer, "the default action of table %s is constant", entries->table->desc->name);
    return NULL;
}

/* TABLE ACTION [=>] PARAM… */
static int table_set_default(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    struct macs_entries *entries = default_store(console, words[0], answer);
    if (!entries)
        return -1;
    unsigned first = count > 2 && !strcmp(words[2], "=>") ? 3 : 2;
    const struct macs_table_desc *desc = entries->table->desc;
    if (parse_action(console, desc, words[1], count - first, words + first, true, answer))
        return -1;
    return macs_console_status(desc, macs_entries_set_default(entries, console->value), answer);
}

static int table_reset_default(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = default_store(console, words[0], answer);
    return entries ? macs_console_status(entries->table->desc, macs_entries_set_default(entries, NULL), answer) : -1;
}

/* TABLE HANDLE MILLISECONDS; 0: none */
static int table_set_timeout(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint64_t handle, timeout_ms;
    uint32_t index;
    struct macs_entries *entries = parse_handle(console, words[0], words[1], &handle, answer);
    if (!entries)
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    if (!entries->table->ages)
        return macs_text_fail(answer, "entries of table %s do not time out (support_timeout)", desc->name);
    if (!macs_value_uint64(words[2], &timeout_ms) || timeout_ms > UINT64_MAX / 1000000)
        return macs_text_fail(answer, "'%.80s' is not a number of milliseconds", words[2]);
    int status = macs_entries_index(entries, handle, &index);
    if (!status)
        macs_ages_limit(entries->table->ages, index, timeout_ms * 1000000);
    return macs_console_status(desc, status, answer);
}

/* TABLE PROFILE MILLISECONDS; 0: for ever */
static int table_set_expire_time(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint64_t profile, expire_ms;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    if (!entries->table->ages)
        return macs_text_fail(answer, "entries of table %s do not time out", entries->table->desc->name);
    if (!macs_value_uint64(words[1], &profile) || profile >= MACS_PROFILES)
        return macs_text_fail(answer, "'%.80s' is not an expire time profile (0 to %u)", words[1], MACS_PROFILES - 1);
    if (!macs_value_uint64(words[2], &expire_ms) || expire_ms > UINT64_MAX / 1000000)
        return macs_text_fail(answer, "'%.80s' is not a number of milliseconds", words[2]);
    entries->table->ages->expire_ns[profile] = expire_ms * 1000000;
    return 0;
}

/* TABLE */
static int table_show_learned(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    const struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    const struct macs_learning *learning = entries->table->learning;
    if (!learning)
        return macs_text_fail(answer, "packets do not add entries to table %s", entries->table->desc->name);
    macs_text_add(answer, "added %" PRIu64 ", refused %" PRIu64 ", lost %" PRIu64 "\n", atomic_load(&learning->added),
                  atomic_load(&learning->refused), learning->lost);
    return 0;
}

const struct macs_command macs_table_commands[] = {
    {"table_add", table_add, 2, MACS_WORDS_MAX, "TABLE ACTION KEY... => [PARAMETER...] [PRIORITY]",
     "add an entry; a key is VALUE, VALUE/LENGTH, VALUE&&&MASK or LOW->HIGH"},
    {"table_modify", table_modify, 3, MACS_WORDS_MAX, "TABLE ACTION HANDLE [PARAMETER...]", "change an entry's action"},
    {"table_delete", table_delete, 2, 2, "TABLE HANDLE", "delete an entry"},
    {"table_clear", table_clear, 1, 1, "TABLE", "delete all entries; the default entry stays"},
    {"table_restore", table_restore, 1, 1, "TABLE", "the entries that the program begins with, and no others"},
    {"table_set_timeout", table_set_timeout, 3, 3, "TABLE HANDLE MILLISECONDS",
     "tell subscribers when nothing has hit the entry for so long; 0: do not"},
    {"table_set_expire_time", table_set_expire_time, 3, 3, "TABLE PROFILE MILLISECONDS",
     "how long entries of an expire time profile live (PNA); 0: for ever"},
    {"table_show_learned", table_show_learned, 1, 1, "TABLE",
     "entries that packets have added, could not add, and that were lost all the same (PNA)"},
    {"table_set_default", table_set_default, 2, MACS_WORDS_MAX, "TABLE ACTION [PARAMETER...]",
     "set what happens to packets that no entry matches"},
    {"table_reset_default", table_reset_default, 1, 1, "TABLE", "set the default entry as the program has it"},
    {0},
};
