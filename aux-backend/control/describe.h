/* Descriptions of the switch: its program and its statistics in JSON, for other programs; its memory as text. */
#ifndef MACS_CONTROL_DESCRIBE_H
#define MACS_CONTROL_DESCRIBE_H

#include "control/text.h"
#include "runtime/switch.h"

/* Tables with keys, actions and kernel; externs; ports. */
void macs_describe_program(const struct macs_switch *sw, const struct macs_program *program, struct macs_text *text);

/* For people, a line a table and a line on huge pages: what memory there is. */
void macs_describe_memory(const struct macs_switch *sw, struct macs_text *text);

/* For each worker how many bursts there were, how many of them were sampled, and the stage clocks of those. */
void macs_describe_stages(const struct macs_switch *sw, struct macs_text *text);

/* Packets and bytes a port, drops by cause, and what else is counted. */
void macs_describe_stats(const struct macs_switch *sw, struct macs_text *text);

#endif
