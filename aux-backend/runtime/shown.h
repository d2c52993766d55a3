/* Escapes text from outside (names, strings of a program, words of commands) for display.
 *
 * Written as \x1b are bytes that are not UTF-8, control characters, also those beyond ASCII, and characters that change
 * the direction of writing. So the result is printable UTF-8, and no text steers a terminal.
 */
#ifndef MACS_RUNTIME_SHOWN_H
#define MACS_RUNTIME_SHOWN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length of the printable character that text[0 … length-1] begins with (length > 0); 0: it is none. */
size_t macs_shown_length(const char *text, size_t length);

/* The value of the character of UTF-8 that text[0 … length-1] begins with, and its length; false: it is none. */
bool macs_shown_decode(const char *text, size_t length, uint32_t *value, size_t *bytes);

/* Write text of one line: what is in it of line breaks is written out, too. */
void macs_shown_line(FILE *file, const char *text, size_t length);

/* Print; line breaks and tabs are kept. */
__attribute__((format(printf, 2, 3))) void macs_tell(FILE *file, const char *format, ...);
void macs_tell_arguments(FILE *file, const char *format, va_list arguments);

#endif
