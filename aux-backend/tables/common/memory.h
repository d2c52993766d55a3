/* Memory for tables: zeroed, aligned to cache lines, on huge pages where it is large.
 *
 * From MACS_MEMORY_BIG bytes on it is mapped: from the reserved huge pages if there are enough, else as ordinary memory
 * with a request for transparent huge pages. Mapped memory takes pages when they are first written. Reserved huge
 * pages are taken at once: say `sparse` for memory of which most is never written, and they are not used.
 * From MACS_MEMORY_UNIT bytes on several share a mapped page of MACS_MEMORY_BIG: tables that stay in the caches need
 * hundreds of ordinary pages, more than the processor translates at once.
 * The kind of pages of each mapping is recorded, for `table_info`.
 * Threads: any.
 * Errors: NULL when there is no memory.
 */
#ifndef MACS_TABLES_MEMORY_H
#define MACS_TABLES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACS_MEMORY_BIG ((size_t)2 << 20)
#define MACS_MEMORY_UNIT ((size_t)64 << 10) /* 32 of them are a page */

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
