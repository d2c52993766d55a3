/* DPDK's log. It is not shown; its last lines are kept, and shown when a call of DPDK has failed. With
 * MACS_DPDK_LOG=FILE in the environment all of it goes to that file.
 *
 * Threads: any.
 */
#ifndef MACS_ODP_DPDK_LOG_H
#define MACS_ODP_DPDK_LOG_H

/* From here on; the first call takes over DPDK's log. */
void macs_odp_dpdk_listen(void);

/* Log what has been said since then, line by line. */
void macs_odp_dpdk_complain(void);

#endif
