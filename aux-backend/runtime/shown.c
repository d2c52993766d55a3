#include "runtime/shown.h"

#include <stdlib.h>
#include <string.h>

/* Unicode 15, table 3-7. */
bool macs_shown_decode(const char *from, size_t length, uint32_t *value, size_t *bytes) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *text = (const unsigned char *)from;
    *bytes = text[0] < 0x80 ? 1 : (text[0] & 0xe0) == 0xc0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (*bytes > length || text[0] >= 0xf8)
        return false;
    *value = *bytes == 1 ? text[0] : text[0] & (0x7fu >> *bytes);
    for (size_t i = 1; i < *bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return false;
        *value = *value << 6 | (text[i] & 0x3f);
    }
    return *value >= least[*bytes] && *value <= 0x10ffff && (*value < 0xd800 || *value > 0xdfff);
}

/* Whether a character controls a terminal: Unicode's Cc, Zl, Zp, tags, and direction and joining of Cf. */
static bool steers(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c >= 0xe0000;
}

size_t macs_shown_length(const char *text, size_t length) {
    uint32_t value;
    size_t bytes;
    return macs_shown_decode(text, length, &value, &bytes) && !steers(value) ? bytes : 0;
}

static void write_shown(FILE *file, const char *text, size_t length, bool lines) {
    for (size_t at = 0; at < length;) {
        size_t plain = 0, more;
        while (at + plain < length && ((lines && strchr("\n\t", text[at + plain]) && text[at + plain]) ||
                                       macs_shown_length(text + at + plain, length - at - plain))) {
            more = macs_shown_length(text + at + plain, length - at - plain);
            plain += more ? more : 1;
        }
        fwrite(text + at, 1, plain, file);
        at += plain;
        if (at < length)
            fprintf(file, "\\x%02x", (unsigned)(unsigned char)text[at++]);
    }
}

void macs_shown_line(FILE *file, const char *text, size_t length) {
    write_shown(file, text, length, false);
}

void macs_tell_arguments(FILE *file, const char *format, va_list arguments) {
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    if (length < 0)
        return;
    write_shown(file, text, (size_t)length, true);
    free(text);
}

void macs_tell(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    macs_tell_arguments(file, format, arguments);
    va_end(arguments);
}
