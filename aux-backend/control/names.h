/* Finds objects by name: the whole name, or a suffix of it that is unique ("ipv4_lpm" for "MyIngress.ipv4_lpm"). */
#ifndef MACS_CONTROL_NAMES_H
#define MACS_CONTROL_NAMES_H

#include "control/text.h"

/* What is named: a list, seen through a function that gives the name at an index. */
struct macs_names {
    const char *what; /* "table", for messages */
    unsigned count;
    const char *(*name)(const void *list, unsigned index);
    const void *list;
};

/* The index of the one that is meant, or -1: then `why` says what is wrong and which names are near. */
int macs_names_find(const struct macs_names *names, const char *wanted, struct macs_text *why);

#endif
