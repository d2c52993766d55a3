/* The text commands: one line in BMv2's simple_switch_CLI syntax, done at once, answered by text.
 *
 * The same parser serves entries files and the control socket. Threads: the control thread.
 */
#ifndef MACS_CONTROL_CONSOLE_H
#define MACS_CONTROL_CONSOLE_H

#include "control/match.h"
#include "control/names.h"
#include "control/store.h"
#include "control/text.h"
#include "runtime/switch.h"

/* Words of a line at most. */
#define MACS_WORDS_MAX 1024u

struct macs_console {
    struct macs_switch *sw;
    struct macs_store *stores; /* one a table */
    struct macs_match_buffer buffer;
    void *value;                             /* as long as the longest of any table */
    const struct macs_command *last_command; /* mostly the next one too */
    int last_table;                          /* found by the word in last_table_word; saves a search a line */
    char last_table_word[64];
    bool quiet; /* nobody reads what commands print that work: those that come by the million need not */
    bool quit;  /* a command asked the switch to end */
};

/* 0 or -ENOMEM. */
int macs_console_init(struct macs_console *console, struct macs_switch *sw);
void macs_console_fini(struct macs_console *console);

/* Do one line (changed in place: it is cut into words). 0: `answer` is what it printed; -1: what was wrong. Blank lines
 * and comments do nothing. */
int macs_console_run(struct macs_console *console, char *line, struct macs_text *answer);

/* The two halves of that. Cut a line into words, MACS_WORDS_MAX of them at most; a # begins a comment. How many, or -1:
 * more. Then do what so many words say. */
int macs_console_cut(char *line, char *words[]);
int macs_console_do(struct macs_console *console, int count, char *words[], struct macs_text *answer);

/* An entry that will be modified or deleted; no store: none. */
struct macs_expected {
    struct macs_store *store;
    uint64_t handle;
};

/* The words will be done soon: if they add an entry, fetch the memory where it goes, and if they change one, tell
 * which: macs_store_expect() is for it. `scratch` is overwritten. */
struct macs_expected macs_console_expect(struct macs_console *console, int count, char *words[],
                                         struct macs_text *scratch);

/* A command. It gets the words behind its name. */
struct macs_command {
    const char *name;
    int (*run)(struct macs_console *console, unsigned count, char **words, struct macs_text *answer);
    unsigned min_words, max_words;
    const char *usage; /* its words */
    const char *help;
};

/* Lists of commands, each ended by a NULL name. */
extern const struct macs_command macs_table_commands[];
extern const struct macs_command macs_table_dump_commands[];
extern const struct macs_command macs_extern_commands[];
extern const struct macs_command macs_multicast_commands[];
extern const struct macs_command macs_mirroring_commands[];
extern const struct macs_command macs_value_set_commands[];
extern const struct macs_command macs_profile_commands[];
extern const struct macs_command macs_switch_commands[];

/* The store of the table that a word names, or NULL with `why`. */
struct macs_store *macs_console_table(struct macs_console *console, const char *word, struct macs_text *why);
/* The index of an action of the table, or -1 with `why`. */
int macs_console_action(const struct macs_table_desc *desc, const char *word, struct macs_text *why);

/* 0 for 0, else -1 and what the -errno of a store or kernel means. */
int macs_console_status(const struct macs_table_desc *desc, int status, struct macs_text *answer);

#endif
