#include "runtime/switch_program.h"

#include <errno.h>
#include <string.h>

#include "runtime/ages.h"
#include "runtime/externs.h"
#include "runtime/learning.h"

static int failed(struct macs_switch *sw, const char *what, int status) {
    macs_log_write(&sw->log, "error: cannot %s: %s", what, strerror(-status));
    return status;
}

static uint32_t largest(uint32_t one, uint32_t other) {
    return one > other ? one : other;
}

/* What the table's entries need, should they time out: 0 or -ENOMEM. */
static int create_ages(struct macs_table *table) {
    if (table->desc->ages)
        table->ages = macs_ages_create(largest(table->desc->shape.size, table->desc->entry_count));
    return table->desc->ages && !table->ages ? -ENOMEM : 0;
}

/* `count` of the program's tables have been made then. */
static int create_tables(struct macs_switch *sw, const struct macs_program *program, unsigned *count) {
    for (*count = 0; *count < program->table_count; ++*count) {
        const struct macs_table_desc *desc = &program->table_descs[*count];
        struct macs_table *table = &program->tables[*count];
        int status = macs_table_init(table, desc, sw->qsbr);
        if (!status && (status = create_ages(table)))
            macs_table_close(table);
        if (!status && desc->learns && (status = macs_learning_create(&table->learning, table, &sw->bell))) {
            macs_ages_destroy(table->ages);
            macs_table_close(table);
        }
        if (status == -ENOSYS && desc->ops && macs_table_missing(desc->ops))
            macs_log_write(&sw->log, "error: table %s: its kernel %s has no operation '%s' (docs/extend/kernel.md)",
                           desc->name, desc->ops->name ? desc->ops->name : "", macs_table_missing(desc->ops));
        else if (status)
            macs_log_write(&sw->log, "error: cannot make table %s: %s", desc->name, strerror(-status));
        if (status)
            return status;
    }
    return 0;
}

int macs_switch_program_create(struct macs_switch *sw, const struct macs_program *program, unsigned *table_count) {
    *table_count = 0;
    int status = macs_externs_create(program, sw->options.worker_count, &sw->digests, sw->qsbr);
    if (status)
        return failed(sw, "make the program's state", status);
    status = create_tables(sw, program, table_count);
    if (!status && program->start && (status = program->start()))
        failed(sw, "start what the target has", status);
    return status;
}

void macs_switch_program_destroy(const struct macs_program *program, unsigned table_count) {
    while (table_count) {
        macs_learning_destroy(program->tables[--table_count].learning);
        macs_table_close(&program->tables[table_count]);
        macs_ages_destroy(program->tables[table_count].ages);
    }
    macs_externs_destroy(program);
}
