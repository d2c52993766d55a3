/* Error number of the last failed call of this thread; the values are those of <errno.h>. */
#ifndef ODP_API_ERRNO_H_
#define ODP_API_ERRNO_H_

int odp_errno(void);
void odp_errno_zero(void);

/* Writes "str: meaning" (only the meaning if str is NULL) to the log. */
void odp_errno_print(const char *str);

/* The meaning of errnum; valid until this thread's next call. */
const char *odp_errno_str(int errnum);

#endif
