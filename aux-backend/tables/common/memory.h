/* Memory for tables: zeroed, cache-line aligned, on huge pages where it is big and they can be had.
 *
 * From MACS_MEMORY_BIG bytes on it is mapped: first from the system's reserved huge pages, else as ordinary memory
 * that the kernel is asked to back by huge pages. Mapped memory costs nothing until it is touched, except that
 * reserved huge pages are taken whole: for what may stay mostly untouched say `sparse`, and they are left alone.
 * What is mapped is booked, so that one can be told which pages there are.
 * Threads: any.
 * Errors: NULL when there is no memory.
 */
#ifndef MACS_TABLES_MEMORY_H
#define MACS_TABLES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACS_MEMORY_BIG ((size_t)2 << 20)

void *macs_memory_alloc(size_t bytes, bool sparse);

/* `bytes` as given to macs_memory_alloc. NULL is allowed. */
void macs_memory_free(void *memory, size_t bytes);

/* Of the mapped memory in use, in bytes: what is on reserved huge pages; what should be, had there been any; what the
 * system may or may not back by huge pages, as it stays mostly untouched. */
struct macs_memory_use {
    uint64_t reserved, refused, sparse;
};

struct macs_memory_use macs_memory_use(void);

/* What is allocated from now on is never on huge pages, to compare with; it counts as sparse. */
void macs_memory_avoid_huge_pages(void);

#endif
