#include "lpm_writer.h"

#include <errno.h>

typedef struct macs_lpm_writer writer_t;

/* Take a match in hand, and fetch what its change will look at. */
static int want(const writer_t *writer, const struct macs_match *match) {
    int error = macs_rules_want(writer->rules, match);
    if (!error)
        writer->ops->prefetch(writer->table, match);
    return error;
}

/* The same of one that is to be there already. */
static int want_present(const writer_t *writer, const struct macs_match *match, uint32_t defers) {
    int error = want(writer, match);
    if (!error)
        error = writer->ops->find(writer->table);
    return error ? error : macs_qsbr_reserve(writer->rules->qsbr, defers);
}

/* A rule that is booked gets a result, and is found from now on. */
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
        error = want(writer, match);
    if (!error)
        error = macs_rules_add_wanted(writer->rules, value, &rule);
    if (error)
        return error;
    error = publish(writer, rule);
    if (error)
        macs_rules_cancel(writer->rules, rule);
    else if (index)
        *index = macs_rules_index(writer->rules, rule);
    return error;
}

/* The rule's record comes while what lookups read is changed for the match in hand. */
int macs_lpm_writer_modify(const writer_t *writer, uint32_t defers, const struct macs_match *match, const void *value) {
    struct macs_values *values = &writer->rules->values;
    struct macs_rule *wanted = writer->rules->wanted;
    uint32_t slot = 0;
    int error = want_present(writer, match, defers);
    if (error)
        return error;
    struct macs_rule *rule = macs_rules_take_wanted(writer->rules);
    error = macs_values_take(values, macs_rules_index(writer->rules, rule), value, &slot);
    if (error)
        return error;
    error = macs_results_take(writer->results, macs_values_at(values, slot), &wanted->result);
    if (!error) {
        error = writer->ops->renew(writer->table, wanted);
        macs_results_drop(writer->results, error ? wanted->result : rule->result);
    }
    macs_values_retire(values, error ? slot : rule->slot);
    if (error)
        return error;
    rule->slot = slot;
    rule->result = wanted->result;
    return 0;
}

int macs_lpm_writer_remove(const writer_t *writer, uint32_t defers, const struct macs_match *match) {
    int error = want_present(writer, match, defers);
    if (!error)
        error = writer->ops->unset(writer->table, writer->rules->wanted);
    if (error)
        return error;
    struct macs_rule *rule = macs_rules_take_wanted(writer->rules);
    macs_results_drop(writer->results, rule->result);
    macs_rules_remove(writer->rules, rule);
    return 0;
}
