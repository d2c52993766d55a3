/* Mapped memory that belongs to nobody: AddressSanitizer reports who touches it; else it is ordinary memory. */
#ifndef MACS_TABLES_POISON_H
#define MACS_TABLES_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define MACS_TABLES_POISONED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MACS_TABLES_POISONED 1
#endif
#endif
#ifdef MACS_TABLES_POISONED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

#endif
