/* A text that grows: the answer of a command. It is cut off where memory or the limit ends. */
#ifndef MACS_CONTROL_TEXT_H
#define MACS_CONTROL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an answer at most. */
#define MACS_TEXT_MAX (8u << 20)

struct macs_text {
    char *data; /* `length` bytes, no end mark; NULL while empty */
    size_t length;
    size_t capacity;
    bool cut;
};

void macs_text_free(struct macs_text *text);
static inline void macs_text_clear(struct macs_text *text) {
    text->length = 0;
    text->cut = false;
}

void macs_text_bytes(struct macs_text *text, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void macs_text_add(struct macs_text *text, const char *format, ...);

/* Bytes as two hexadecimal digits each. */
void macs_text_hex(struct macs_text *text, const uint8_t *bytes, size_t count);

/* A JSON string, quotes and escapes included. */
void macs_text_json(struct macs_text *text, const char *string);

/* Replace all of it by a message; returns -1, for `return macs_text_fail(…)`. */
__attribute__((format(printf, 2, 3))) int macs_text_fail(struct macs_text *text, const char *format, ...);

#endif
