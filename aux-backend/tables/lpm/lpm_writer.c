#include "lpm_writer.h"

#include <errno.h>

typedef struct macs_lpm_writer writer_t;

/* Make a match the current one, and prefetch what its change will read. */
static int prepare(const writer_t *writer, const struct macs_match *match) {
    int error = macs_rules_prepare(writer->rules, match);
    if (!error)
        writer->ops->prefetch(writer->table, match);
    return error;
}

/* The same for a match that must have an entry. */
static int prepare_present(const writer_t *writer, const struct macs_match *match, uint32_t defers) {
    int error = prepare(writer, match);
    if (!error)
        error = writer->ops->find(writer->table);
    return error ? error : macs_qsbr_reserve(writer->rules->qsbr, defers);
}

/* Give a recorded rule a result, and publish it to lookups. */
static int publish(const writer_t *writer, struct macs_rule *rule) {
    struct macs_results *results = writer->results;
    int error = macs_results_take(results, macs_values_at(&writer->rules->values, rule->slot), &rule->result);
    if (error)
        return error;
    error = writer->ops->set(writer->table, rule);
    if (error)
        macs_results_drop(results, rule->result);
    return error;
}

int macs_lpm_writer_add(const writer_t *writer, uint32_t defers, const struct macs_match *match, const void *value,
                        uint32_t *index) {
    struct macs_rule *rule = NULL;
    int error = macs_qsbr_reserve(writer->rules->qsbr, defers);
    if (!error)
        error = prepare(writer, match);
    if (!error)
        error = macs_rules_add_current(writer->rules, value, &rule);
    if (error)
        return error;
    error = publish(writer, rule);
    if (error)
        macs_rules_cancel(writer->rules, rule);
    else if (index)
        *index = macs_rules_index(writer->rules, rule);
    return error;
}

/* What lookups read is changed by the current match, while the rule's record is prefetched. */
int macs_lpm_writer_modify(const writer_t *writer, uint32_t defers, const struct macs_match *match, const void *value) {
    struct macs_values *values = &writer->rules->values;
    struct macs_rule *current = writer->rules->current;
    uint32_t slot = 0;
    int error = prepare_present(writer, match, defers);
    if (error)
        return error;
    struct macs_rule *rule = macs_rules_current(writer->rules);
    error = macs_values_take(values, macs_rules_index(writer->rules, rule), value, &slot);
    if (error)
        return error;
    error = macs_results_take(writer->results, macs_values_at(values, slot), &current->result);
    if (!error) {
        error = writer->ops->renew(writer->table, current);
        macs_results_drop(writer->results, error ? current->result : rule->result);
    }
    macs_values_retire(values, error ? slot : rule->slot);
    if (error)
        return error;
    rule->slot = slot;
    rule->result = current->result;
    return 0;
}

int macs_lpm_writer_remove(const writer_t *writer, uint32_t defers, const struct macs_match *match) {
    int error = prepare_present(writer, match, defers);
    if (!error)
        error = writer->ops->unset(writer->table, writer->rules->current);
    if (error)
        return error;
    struct macs_rule *rule = macs_rules_current(writer->rules);
    macs_results_drop(writer->results, rule->result);
    macs_rules_remove(writer->rules, rule);
    return 0;
}
