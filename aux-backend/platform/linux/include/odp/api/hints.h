/* Compiler hints. */
#ifndef ODP_API_HINTS_H_
#define ODP_API_HINTS_H_

#define ODP_NORETURN __attribute__((__noreturn__))
#define ODP_WEAK_SYMBOL __attribute__((__weak__))
#define ODP_HOT_CODE __attribute__((__hot__))
#define ODP_COLD_CODE __attribute__((__cold__))
#define ODP_PRINTF_FORMAT(format_arg, first_arg) __attribute__((__format__(__printf__, (format_arg), (first_arg))))
#define ODP_UNUSED __attribute__((__unused__))
#define odp_likely(x) __builtin_expect(!!(x), 1)
#define odp_unlikely(x) __builtin_expect(!!(x), 0)

#endif
