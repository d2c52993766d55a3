/* Packet input and output.
 *
 * A port's name is DRIVER:ARGUMENTS (docs/odp.md lists the drivers) or that of a network interface. Order of calls:
 * open, config, pktin_queue_config and pktout_queue_config, pktin_queue and pktout_queue for the handles, start; at the
 * end stop, close, and only then odp_pool_destroy(). Only direct mode is supported.
 */
#ifndef ODP_API_PACKET_IO_H_
#define ODP_API_PACKET_IO_H_

#include <odp/api/packet.h>
#include <odp/api/packet_io_types.h>

/* NULL param: defaults. ODP_PKTIO_INVALID: the name is not understood, the device is not there or already open. */
odp_pktio_t odp_pktio_open(const char *name, odp_pool_t pool, const odp_pktio_param_t *param);
odp_pktio_t odp_pktio_lookup(const char *name);

/* Frees what it still holds. -1: not stopped. */
int odp_pktio_close(odp_pktio_t pktio);

int odp_pktio_capability(odp_pktio_t pktio, odp_pktio_capability_t *capa);
unsigned int odp_pktio_max_index(void);
int odp_pktio_index(odp_pktio_t pktio);
void odp_pktio_param_init(odp_pktio_param_t *param);
void odp_pktio_config_init(odp_pktio_config_t *config);
void odp_pktin_queue_param_init(odp_pktin_queue_param_t *param);
void odp_pktout_queue_param_init(odp_pktout_queue_param_t *param);

/* -1 when something is asked for that the capability does not have. parser.layer: see packet_layers.h. */
int odp_pktio_config(odp_pktio_t pktio, const odp_pktio_config_t *config);
int odp_pktin_queue_config(odp_pktio_t pktio, const odp_pktin_queue_param_t *param);
int odp_pktout_queue_config(odp_pktio_t pktio, const odp_pktout_queue_param_t *param);

/* How many queues there are; up to `num` handles are written. */
int odp_pktin_queue(odp_pktio_t pktio, odp_pktin_queue_t queues[], int num);
int odp_pktout_queue(odp_pktio_t pktio, odp_pktout_queue_t queues[], int num);

int odp_pktio_start(odp_pktio_t pktio);
int odp_pktio_stop(odp_pktio_t pktio);

/* The number received (0: none now), or -1. */
int odp_pktin_recv(odp_pktin_queue_t queue, odp_packet_t packets[], int num);
int odp_pktin_recv_tmo(odp_pktin_queue_t queue, odp_packet_t packets[], int num, uint64_t wait);
int odp_pktin_recv_mq_tmo(const odp_pktin_queue_t queues[], uint32_t num_q, uint32_t *from, odp_packet_t packets[],
                          int num, uint64_t wait);
uint64_t odp_pktin_wait_time(uint64_t nsec);

/* The number taken, or -1; what was not taken stays the caller's. A frame that is longer than odp_pktout_maxlen() is
 * not taken: when it is the first, the result is -1 with odp_errno() EMSGSIZE. */
int odp_pktout_send(odp_pktout_queue_t queue, const odp_packet_t packets[], int num);

int odp_pktio_promisc_mode_set(odp_pktio_t pktio, odp_bool_t enable);
int odp_pktio_promisc_mode(odp_pktio_t pktio);
uint32_t odp_pktin_maxlen(odp_pktio_t pktio);
uint32_t odp_pktout_maxlen(odp_pktio_t pktio);

/* The number of bytes written, or -1. */
int odp_pktio_mac_addr(odp_pktio_t pktio, void *mac_addr, int size);

odp_pktio_link_status_t odp_pktio_link_status(odp_pktio_t pktio);
int odp_pktio_info(odp_pktio_t pktio, odp_pktio_info_t *info);
int odp_pktio_link_info(odp_pktio_t pktio, odp_pktio_link_info_t *info);
uint64_t odp_pktio_ts_res(odp_pktio_t pktio);
odp_time_t odp_pktio_ts_from_ns(odp_pktio_t pktio, uint64_t ns);
odp_time_t odp_pktio_time(odp_pktio_t pktio, odp_time_t *ts_global);

/* Counted per queue; the unicast, multicast and broadcast counters are not kept. */
int odp_pktio_stats(odp_pktio_t pktio, odp_pktio_stats_t *stats);
int odp_pktin_queue_stats(odp_pktin_queue_t queue, odp_pktin_queue_stats_t *stats);
int odp_pktout_queue_stats(odp_pktout_queue_t queue, odp_pktout_queue_stats_t *stats);
int odp_pktio_stats_reset(odp_pktio_t pktio);

/* Counters by name, the number of them returned. "rx_end" is 1 when a finite input (a file that is played once) has
 * been received to its end, 0 before; ports without an end have no such counter. */
int odp_pktio_extra_stat_info(odp_pktio_t pktio, odp_pktio_extra_stat_info_t info[], int num);
int odp_pktio_extra_stats(odp_pktio_t pktio, uint64_t stats[], int num);
int odp_pktio_extra_stat_counter(odp_pktio_t pktio, uint32_t id, uint64_t *stat);

void odp_pktio_print(odp_pktio_t pktio);
uint64_t odp_pktio_to_u64(odp_pktio_t pktio);

#endif
