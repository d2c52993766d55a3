/* Functions whose arguments are constants where generated code calls them, so that most of each goes away when it is
 * inlined. Compilers stop inlining in a large file; these must be inlined even there. At -O0 nothing would go away:
 * they are called, and programs compile in three quarters of the time. */
#ifndef MACS_INLINE_H
#define MACS_INLINE_H

#ifdef __OPTIMIZE__
#define MACS_ALWAYS_INLINE __attribute__((always_inline)) static inline
#else
#define MACS_ALWAYS_INLINE static inline
#endif

/* A stage's work on a packet, where one loop has it: no registers are saved for a call. The compiler decides with
 * -DMACS_IN_PARTS, where it works on several functions of a large program at once. */
#ifdef MACS_IN_PARTS
#define MACS_STAGE static inline
#else
#define MACS_STAGE MACS_ALWAYS_INLINE
#endif

#endif
