/* Match keys and action data in the form of commands: parsed and printed. */
#ifndef MACS_CONTROL_MATCH_H
#define MACS_CONTROL_MATCH_H

#include <macs/table.h>

#include "control/text.h"

/* Buffers for one match of a table. */
struct macs_match_buffer {
    uint8_t *value, *mask, *high; /* key_bytes each */
};

/* True: entries of the table have priorities. */
bool macs_match_has_priority(const struct macs_table_desc *desc);

/* In BMv2's commands the smaller priority wins, in tables the larger one. */
static inline int32_t macs_match_priority(int32_t command_priority) {
    return INT32_MAX - command_priority;
}

/* Read one word a field into the buffer and set the match up (its priority is left alone). 0, or -1 with `why`. */
int macs_match_parse(const struct macs_table_desc *desc, char *const words[], struct macs_match_buffer *buffer,
                     struct macs_match *match, struct macs_text *why);

/* Read one word a parameter into a whole value. 0, or -1 with `why`. */
int macs_params_parse(const struct macs_table_desc *desc, uint32_t action, char *const words[], void *value,
                      struct macs_text *why);

/* Set a parameter of the value to such bytes as macs_param_bytes() gives. */
void macs_param_store(const struct macs_param *param, const uint8_t *bytes, void *value);

/* "0a000000/8" for the field. */
void macs_match_print_field(struct macs_text *text, const struct macs_table_desc *desc, unsigned field,
                            const struct macs_match *match);
/* A parameter of the value as bytes, most significant first: macs_value_bytes(param->bits) of them. */
void macs_param_bytes(const struct macs_param *param, const void *value, uint8_t *bytes);

#endif
