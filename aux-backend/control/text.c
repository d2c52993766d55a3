#include "control/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/shown.h"

void macs_text_free(struct macs_text *text) {
    free(text->data);
    *text = (struct macs_text){0};
}

/* Room for `more` bytes and an end mark behind what is there. */
static bool grow(struct macs_text *text, size_t more) {
    if (text->cut || more > MACS_TEXT_MAX - text->length) {
        text->cut = true;
        return false;
    }
    size_t wanted = text->length + more + 1;
    if (wanted <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < wanted)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->cut = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void macs_text_bytes(struct macs_text *text, const char *bytes, size_t length) {
    if (!grow(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
}

static size_t shown_length(const char *text, size_t length) {
    return *text == '\n' || *text == '\t' ? 1 : macs_shown_length(text, length);
}

/* A byte, written out. */
static void add_byte(struct macs_text *text, char byte) {
    char escape[5];
    snprintf(escape, sizeof(escape), "\\x%02x", (unsigned)(unsigned char)byte);
    macs_text_bytes(text, escape, 4);
}

/* Write out what would steer a terminal in what stands from `start` on; line breaks and tabs are meant. */
static void show(struct macs_text *text, size_t start) {
    size_t at = start, length;
    while (at < text->length && (length = shown_length(text->data + at, text->length - at)))
        at += length;
    if (at == text->length)
        return;
    const size_t rest = text->length - at;
    char *copy = malloc(rest);
    text->length = at;
    if (!copy) {
        text->cut = true;
        return;
    }
    memcpy(copy, text->data + at, rest);
    for (size_t i = 0; i < rest; i += length ? length : 1) {
        length = shown_length(copy + i, rest - i);
        if (length)
            macs_text_bytes(text, copy + i, length);
        else
            add_byte(text, copy[i]);
    }
    free(copy);
}

static void add_arguments(struct macs_text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || !grow(text, (size_t)length))
        return;
    size_t start = text->length;
    vsnprintf(text->data + start, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
    show(text, start);
}

void macs_text_add(struct macs_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_arguments(text, format, arguments);
    va_end(arguments);
}

void macs_text_hex(struct macs_text *text, const uint8_t *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        const char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        macs_text_bytes(text, pair, 2);
    }
}

/* A unit of UTF-16, as JSON escapes it. */
static void add_unit(struct macs_text *text, uint32_t unit) {
    macs_text_add(text, "\\u%04x", (unsigned)unit);
}

/* A character that is not to be sent as it is: the same one, escaped; of what is no UTF-8 a byte, written out. */
static size_t add_escaped(struct macs_text *text, const char *at, size_t left) {
    uint32_t value;
    size_t bytes;
    if (!macs_shown_decode(at, left, &value, &bytes)) {
        macs_text_bytes(text, "\\", 1);
        add_byte(text, *at);
        return 1;
    }
    if (value < 0x10000) {
        add_unit(text, value);
    } else {
        add_unit(text, 0xd7c0 + (value >> 10));
        add_unit(text, 0xdc00 + (value & 0x3ff));
    }
    return bytes;
}

void macs_text_json(struct macs_text *text, const char *string) {
    size_t left = strlen(string), length;
    macs_text_bytes(text, "\"", 1);
    for (const char *at = string; left; at += length, left -= length) {
        length = macs_shown_length(at, left);
        if (*at == '"' || *at == '\\')
            macs_text_bytes(text, "\\", 1);
        if (length)
            macs_text_bytes(text, at, length);
        else
            length = add_escaped(text, at, left);
    }
    macs_text_bytes(text, "\"", 1);
}

int macs_text_fail(struct macs_text *text, const char *format, ...) {
    macs_text_clear(text);
    va_list arguments;
    va_start(arguments, format);
    add_arguments(text, format, arguments);
    va_end(arguments);
    return -1;
}
