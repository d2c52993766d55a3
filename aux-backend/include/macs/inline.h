/* Functions whose arguments are constants where generated code calls them, so that most of each goes away when it is
 * inlined. Compilers stop inlining in a large file; these must be inlined even there. */
#ifndef MACS_INLINE_H
#define MACS_INLINE_H

#define MACS_ALWAYS_INLINE __attribute__((always_inline)) static inline

#endif
