/* Numbers of commands: decimal, 0x…, 0b…, 0o…, IPv4 (32 bits), MAC (48 bits), IPv6 (128 bits). */
#ifndef MACS_CONTROL_VALUE_H
#define MACS_CONTROL_VALUE_H

#include "control/text.h"

/* Bytes of a value of that many bits. */
static inline uint32_t macs_value_bytes(uint32_t bits) {
    return (bits + 7) / 8;
}

/* Read text[0 … length-1] into macs_value_bytes(bits) bytes, most significant first. 0, or -1: `why` says what is wrong
 * with it, without saying of what. */
int macs_value_parse(const char *text, size_t length, uint32_t bits, uint8_t *bytes, struct macs_text *why);

/* A whole, non-negative decimal or hexadecimal number that fits: true. */
bool macs_value_uint64(const char *text, uint64_t *value);

/* Append the value as a decimal number. */
void macs_value_print(struct macs_text *text, const uint8_t *bytes, uint32_t count);

#endif
