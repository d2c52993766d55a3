/* Match-action tables as the control plane and generated code use them, the same for all table kernels.
 *
 * A packed key is the table's key fields one after the other, each in ceil(bits/8) bytes, most significant byte first,
 *unused high bits zero. Exact fields come first, the LPM field (at most one) last, so that a prefix is a prefix of the
 * packed key.
 * A value is a struct that generated code declares. It begins with struct macs_entry; action data follow in host byte
 * order, at the offsets that the table's description gives.
 * Threads: one writer (the control thread), any number of lock-free readers. A value that was replaced or deleted is
 * freed once every reader has reported a quiescent state (macs/qsbr.h).
 */
#ifndef MACS_TABLE_H
#define MACS_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest burst B; sub-batches b are at most as large. */
#define MACS_BURST_MAX 256u

enum macs_match_kind { MACS_EXACT, MACS_LPM, MACS_TERNARY, MACS_RANGE, MACS_OPTIONAL };

/* Head of every value. */
struct macs_entry {
    uint32_t action; /* index in macs_table_desc.actions */
    uint32_t index;  /* of the entry, 0 … size-1, stable over modify: finds direct counters and meters; size for the
                        default */
};

/* Actions of an entry that refers to its table's action profile, and of one that has none to run. */
#define MACS_NO_ACTION UINT32_MAX
#define MACS_INDIRECT_MEMBER (UINT32_MAX - 1)
#define MACS_INDIRECT_GROUP (UINT32_MAX - 2)

/* Such an entry: `handle` of a member or a group. */
struct macs_indirect {
    struct macs_entry head;
    uint32_t handle;
};

/* What to match, packed. `mask` for ternary and optional bytes; `high` for range bytes (value is then the low end).
 * Both are always present and whole: an exact byte has mask 0xff and high == value. */
struct macs_match {
    const uint8_t *value;
    const uint8_t *mask;
    const uint8_t *high;
    uint32_t prefix_bits; /* of the whole packed key, exact bytes included; key_bytes * 8 without LPM field */
    int32_t priority;     /* the larger wins; 0 where the table has no priorities */
};

struct macs_key_field {
    const char *name; /* control-plane name */
    uint16_t bits;
    uint16_t offset; /* in the packed key */
    uint8_t kind;    /* enum macs_match_kind */
    uint8_t word_at; /* its lowest bit in the key word, in a table of packed entries */
};

struct macs_param {
    const char *name;
    uint16_t bits;
    uint16_t offset; /* in the value */
    uint16_t bytes;  /* 1, 2, 4, 8, or a multiple of 8: limbs, least significant first, each in host order */
    uint8_t word_at; /* its lowest bit in the data word, in a table of packed entries */
};

enum macs_action_scope { MACS_ANYWHERE, MACS_DEFAULT_ONLY, MACS_TABLE_ONLY };

struct macs_action_desc {
    const char *name;
    const struct macs_param *params;
    uint16_t param_count;
    uint8_t scope; /* enum macs_action_scope */
};

/* A constant or initial entry of the program. */
struct macs_const_entry {
    struct macs_match match;
    const void *value;
};

struct macs_table_shape {
    uint32_t key_bytes;
    uint32_t prefix_offset; /* first byte of the LPM field; key_bytes if none */
    uint32_t value_bytes;
    uint32_t size; /* entries at most */
    uint32_t field_count;
    const struct macs_key_field *fields;    /* macs_table_init sets both; NULL: bytes before the prefix are exact or
                                               ternary, as the table kernel defines */
    const struct macs_action_desc *actions; /* macs_table_init sets both */
    uint32_t action_count;
    /* For packed entries: the bits of the key, whose fields have no gaps between them, and of the data, which has the
     * action's number in the lowest `action_bits` and its parameters above. */
    uint8_t key_bits, data_bits, action_bits;
    bool indexed; /* readers want the index of what they find */
};

struct macs_qsbr;
struct macs_indices;

/* Table operations: the writer's functions of a table kernel. They return 0 or -errno: -EEXIST, -ENOENT, -ENOSPC,
 * -ENOMEM, -EINVAL, -EBUSY (a reader does not report, so nothing can be freed: see macs/qsbr.h). An operation that
 * fails changes nothing. None prints or exits. `value` is copied, and its macs_entry.index is set. `index` may be NULL.
 * `qsbr` is NULL where there are no concurrent readers. Bits of a match outside its mask or prefix are ignored. Among
 * equal priorities the longer prefix wins, then the entry that was added first. */
struct macs_table_ops {
    const char *name; /* "exact_hash" */
    int (*create)(const struct macs_table_shape *shape, struct macs_qsbr *qsbr, void **self);
    void (*destroy)(void *self);
    int (*add)(void *self, const struct macs_match *match, const void *value, uint32_t *index);
    /* Prefetch what a change of that match will read: first, without `entry`, the place of the entry; later, when that
     * is in the cache, with `entry`, the entry itself. NULL: there is nothing to prefetch. */
    void (*prefetch)(void *self, const struct macs_match *match, bool entry);
    int (*modify)(void *self, const struct macs_match *match, const void *value);
    int (*remove)(void *self, const struct macs_match *match);
    /* The entry with that very match (not the best match for a packet), or NULL. */
    const struct macs_entry *(*find)(void *self, const struct macs_match *match);
    /* Calls visit for each entry until it returns non-zero, which is returned; order unspecified. It may modify or
     * remove the entry that it is shown, and change nothing else. */
    int (*walk)(void *self, int (*visit)(const struct macs_match *match, const struct macs_entry *value, void *arg),
                void *arg);
    uint32_t (*count)(void *self);
    uint64_t (*memory_bytes)(void *self);
    uint64_t (*reader_bytes)(void *self); /* of that, what lookups read; NULL: all of it */
    /* Where it takes the indices of entries from; NULL: packets cannot add entries to its tables. */
    struct macs_indices *(*indices)(void *self);
    /* Make lookups as fast as they can be for the entries that are there, which changes have left slower: 0 or -errno,
     * and then they are as they were. Entries stay as they are. NULL: changes leave nothing to do. */
    int (*tidy)(void *self);
};

struct macs_table_desc {
    const char *name;
    const struct macs_key_field *fields; /* in the program's order */
    const struct macs_action_desc *actions;
    const struct macs_table_ops *ops;
    const struct macs_const_entry *entries;
    const void *default_value;
    struct macs_table_shape shape;
    uint32_t entry_count;
    uint16_t field_count;
    uint16_t action_count;
    bool const_entries;
    bool const_default;
    uint16_t profile; /* 1 + the number of its action profile among the externs, or 0 */
    bool value_set;   /* a parser value set: its entries have no actions */
    bool ages;        /* when entries were hit is kept: they may time out */
    bool deletes;     /* entries whose time is over are deleted; only the program restarts it */
    bool learns;      /* packets may add entries: macs/learn.h */
};

struct macs_ages;
struct macs_learning;

/* A table at run time: an array of them stands in the generated code. */
struct macs_table {
    const struct macs_table_desc *desc;
    void *state;                                    /* what its operations work on */
    const struct macs_entry *_Atomic default_entry; /* the default action and its data, used on a miss */
    _Atomic uint64_t default_word;                  /* the same as a data word, in tables whose entries are words */
    struct macs_qsbr *qsbr;
    struct macs_ages *ages;         /* of tables whose entries may time out; the runtime's */
    struct macs_learning *learning; /* of tables that learn; the runtime's */
    atomic_bool filled;             /* there may be entries: true a grace period before the first one is there */
    struct macs_table_quiet {
        uint32_t changes;  /* entries that were added or removed; the writer's, as all of this */
        uint32_t tidied;   /* of these, before the table was tidied */
        uint32_t seen;     /* of these, when the runtime looked last */
        uint64_t since_ns; /* when it saw the last of them */
        uint64_t cost_ns;  /* how long tidying took */
    } quiet;
};

/* Whether the table is empty, so that whatever is looked up runs the default entry. Readers may ask once a burst. An
 * entry is there only when every burst that was told of an empty table has ended. So a burst that finds an entry finds
 * in other tables what was added before it. */
static inline bool macs_table_is_empty(const struct macs_table *table) {
    return !atomic_load_explicit(&table->filled, memory_order_acquire);
}

/* The default entry: what a packet that matches nothing runs. */
static inline const struct macs_entry *macs_table_default(const struct macs_table *table) {
    return atomic_load_explicit(&table->default_entry, memory_order_acquire);
}

/* The same of a table whose entries are words. */
static inline uint64_t macs_table_default_word(const struct macs_table *table) {
    return atomic_load_explicit(&table->default_word, memory_order_acquire);
}

/* What the lookups of a burst in an empty table come to: each the default entry, which `miss` stands for. */
static inline void macs_table_all_miss(const struct macs_table *table, uint32_t count, const struct macs_entry **miss,
                                       const struct macs_entry *entries[]) {
    const struct macs_entry *const none = macs_table_default(table);
    *miss = none;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = none;
}

/* The number of changes to entries and default entries of all tables, and to members and groups of action profiles. A
 * burst that has asked before it reads anything of a table finds all changes that are counted, and maybe more. */
extern _Atomic uint64_t macs_tables_changes;

/* That number, but never 0. */
static inline uint64_t macs_tables_epoch(void) {
    return atomic_load_explicit(&macs_tables_changes, memory_order_acquire) + 1;
}

/* Count a change, behind it. The operations here do; who changes an entry by others calls it. */
void macs_tables_changed(void);

/* The name of the first operation that a kernel lacks, of those that may not be NULL; NULL: it has them all. */
const char *macs_table_missing(const struct macs_table_ops *ops);

/* Make the table, add the program's entries, set its default entry. 0 or -errno, and then nothing is left behind:
 * -ENOSYS for a kernel that lacks an operation. A table without operations (no keys) has a default entry only. `qsbr`
 * outlives the table; NULL without concurrent readers. */
int macs_table_init(struct macs_table *table, const struct macs_table_desc *desc, struct macs_qsbr *qsbr);

/* Frees everything. No reader may use the table any more. */
void macs_table_close(struct macs_table *table);

/* Replace the default entry by a copy of `value` (desc->shape.value_bytes), or by the program's own for NULL: 0,
 * -ENOMEM, -EBUSY. Whether the program allows it (const_default, action scopes) is the caller's to check. */
int macs_table_set_default(struct macs_table *table, const void *value);

/* Add or remove an entry by the table's operations, which tell of errors. Into an empty table it also waits until all
 * readers have reported a quiescent state, -EBUSY where one does not. */
int macs_table_add(struct macs_table *table, const struct macs_match *match, const void *value, uint32_t *index);
/* The match of one of the entries that the program begins with. Where no field has priorities it has none, or nobody
 * would find it by its key. */
struct macs_match macs_table_own_match(const struct macs_table_desc *desc, uint32_t number);
int macs_table_remove(struct macs_table *table, const struct macs_match *match);

/* Tidy the table by its operations, where entries have changed since: 0 or -errno. */
int macs_table_tidy(struct macs_table *table);

/* Remove all entries, those of the program too; the default stays: 0 or -errno, and then some may be left. */
int macs_table_clear(struct macs_table *table);

#endif
