/* Text commands, in the syntax of BMv2's simple_switch_CLI: a line is executed at once, and answered by text.
 *
 * Entries files and the control socket share this parser.
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_CONSOLE_H
#define MACS_CONTROL_CONSOLE_H

#include "control/match.h"
#include "control/names.h"
#include "control/notes.h"
#include "control/entries.h"
#include "control/text.h"
#include "runtime/switch.h"

/* Words of a line at most. */
#define MACS_WORDS_MAX 1024u

/* What a command returns that is not done at the end of its slice of time: it goes on where it was when it is given the
 * same words, answer and progress once more. Others may run between. */
#define MACS_AGAIN 1

/* The progress of a command; all zero before it begins. */
struct macs_progress {
    bool begun;
    uint64_t at; /* the command's own */
};

struct macs_console {
    struct macs_switch *sw;
    const struct macs_program *program; /* the one that runs, or (`next`) the one that will */
    struct macs_console *next;          /* of a program that is loaded; NULL: none is */
    struct macs_console *running;       /* of the one that runs, where this one does not yet; else NULL */
    struct macs_entries *tables;        /* one a table */
    struct macs_notes notes;
    struct macs_match_buffer buffer;
    void *value;                             /* as long as the longest of any table */
    const struct macs_command *last_command; /* mostly the next one too */
    int last_table;                          /* found by the word in last_table_word; saves a search a line */
    char last_table_word[64];
    struct macs_progress *progress; /* of the command at hand */
    uint64_t slice_end_ns;          /* CLOCK_MONOTONIC */
    bool learns;                    /* some tables learn, or delete entries whose time is over */
    uint64_t learned;               /* entries that came or went so */
    bool quiet; /* nobody reads what commands print that work: those that come by the million need not */
    bool quit;  /* a command asked the switch to end */
};

/* 0 or -ENOMEM. */
int macs_console_init(struct macs_console *console, struct macs_switch *sw, const struct macs_program *program);
void macs_console_fini(struct macs_console *console);

/* Another program is made ready (`next`), in place of one that was before. -errno as of macs_switch_prepare(). */
int macs_console_load(struct macs_console *console, const struct macs_program *program);
/* It takes the place of the one that runs. -ENOENT: there is none; else as macs_switch_swap(). */
int macs_console_swap(struct macs_console *console);
void macs_console_discard(struct macs_console *console);

/* Cut a line in place into words, MACS_WORDS_MAX of them at most; a # begins a comment. How many, or -1: more. */
int macs_console_cut(char *line, char *words[]);

/* Execute a command; nothing without words. 0: `answer` is its output; -1: `answer` is the error; or MACS_AGAIN. */
int macs_console_do(struct macs_console *console, struct macs_progress *progress, int count, char *words[],
                    struct macs_text *answer);

/* A slice of time begins; whether it is over. Commands that may take long ask after each step. */
void macs_console_begin_slice(struct macs_console *console);
bool macs_console_slice_over(const struct macs_console *console);

/* For commands on many things, step by step from where they have come. Call visit for each entry of a table, or `each`
 * for the numbers below `count`: 0, MACS_AGAIN, or what visit or the entries returned. */
int macs_console_walk(struct macs_console *console, struct macs_entries *entries, macs_entries_visit_fn *visit,
                      void *argument);
int macs_console_clear(struct macs_console *console, struct macs_entries *entries);
int macs_console_sweep(struct macs_console *console, uint32_t count, void (*each)(uint32_t number, void *argument),
                       void *argument);

/* An entry to be modified or deleted; without entries: none. */
struct macs_prefetched {
    struct macs_entries *entries;
    uint64_t handle;
};

/* The words will be done soon: if they add an entry, prefetch the memory where it goes, and if they change one, tell
 * which: macs_entries_prefetch() is for it. `scratch` is overwritten. */
struct macs_prefetched macs_console_prefetch(struct macs_console *console, int count, char *words[],
                                             struct macs_text *scratch);

/* A command. It gets the words behind its name, and returns 0, -1 with what was wrong, or MACS_AGAIN. */
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
extern const struct macs_command macs_queue_commands[];
extern const struct macs_command macs_switch_commands[];
extern const struct macs_command macs_program_commands[];

/* The entries of the table that a word names, or NULL with `why`. */
struct macs_entries *macs_console_table(struct macs_console *console, const char *word, struct macs_text *why);
/* The index of an action of the table, or -1 with `why`. */
int macs_console_action(const struct macs_table_desc *desc, const char *word, struct macs_text *why);

/* The action of an entry, or of a member, with its data. */
void macs_console_print_action(const struct macs_table_desc *desc, const struct macs_entry *entry,
                               struct macs_text *answer);

/* 0 for 0, else -1, and the meaning of an -errno of entries.h or of a table operation. */
int macs_console_status(const struct macs_table_desc *desc, int status, struct macs_text *answer);

#endif
