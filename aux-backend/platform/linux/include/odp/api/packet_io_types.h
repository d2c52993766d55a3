/* Types of packet input and output. */
#ifndef ODP_API_PACKET_IO_TYPES_H_
#define ODP_API_PACKET_IO_TYPES_H_

#include <odp/api/packet.h>
#include <odp/api/queue.h>

typedef struct macs_odp_pktin *odp_pktin_queue_t;
typedef struct macs_odp_pktout *odp_pktout_queue_t;

#define ODP_PKTIO_MAX_INDEX 63
#define ODP_PKTIO_MACADDR_MAXSIZE 16
#define ODP_PKTIN_NO_WAIT 0
#define ODP_PKTIN_MAX_QUEUES 64
#define ODP_PKTOUT_MAX_QUEUES 64
#define ODP_PKTIO_STATS_EXTRA_NAME_LEN 64

typedef enum odp_pktin_mode_t {
    ODP_PKTIN_MODE_DIRECT = 0,
    ODP_PKTIN_MODE_SCHED,
    ODP_PKTIN_MODE_QUEUE,
    ODP_PKTIN_MODE_DISABLED
} odp_pktin_mode_t;

typedef enum odp_pktout_mode_t {
    ODP_PKTOUT_MODE_DIRECT = 0,
    ODP_PKTOUT_MODE_QUEUE,
    ODP_PKTOUT_MODE_TM,
    ODP_PKTOUT_MODE_DISABLED
} odp_pktout_mode_t;

typedef enum odp_pktio_op_mode_t { ODP_PKTIO_OP_MT = 0, ODP_PKTIO_OP_MT_UNSAFE } odp_pktio_op_mode_t;

/* Fields that choose a packet's input queue. */
typedef union odp_pktin_hash_proto_t {
    struct {
        uint32_t ipv4_udp : 1;
        uint32_t ipv4_tcp : 1;
        uint32_t ipv4 : 1;
        uint32_t ipv6_udp : 1;
        uint32_t ipv6_tcp : 1;
        uint32_t ipv6 : 1;
    } proto;
    uint32_t all_bits;
} odp_pktin_hash_proto_t;

typedef struct odp_pktin_queue_param_t {
    odp_pktio_op_mode_t op_mode;
    odp_bool_t classifier_enable; /* not supported */
    odp_bool_t hash_enable;       /* required for more than one queue */
    odp_pktin_hash_proto_t hash_proto;
    uint32_t num_queues;
    uint32_t queue_size[ODP_PKTIN_MAX_QUEUES]; /* 0: the driver's; nothing else is supported */
} odp_pktin_queue_param_t;

typedef struct odp_pktout_queue_param_t {
    odp_pktio_op_mode_t op_mode;
    uint32_t num_queues;
    uint32_t queue_size[ODP_PKTOUT_MAX_QUEUES];
} odp_pktout_queue_param_t;

typedef struct odp_pktio_param_t {
    odp_pktin_mode_t in_mode;
    odp_pktout_mode_t out_mode;
} odp_pktio_param_t;

typedef union odp_pktin_config_opt_t {
    struct {
        uint64_t ts_all : 1;
        uint64_t ts_ptp : 1;
        uint64_t ipv4_chksum : 1;
        uint64_t udp_chksum : 1;
        uint64_t tcp_chksum : 1;
        uint64_t sctp_chksum : 1;
        uint64_t drop_ipv4_err : 1;
        uint64_t drop_ipv6_err : 1;
        uint64_t drop_udp_err : 1;
        uint64_t drop_tcp_err : 1;
        uint64_t drop_sctp_err : 1;
    } bit;
    uint64_t all_bits;
} odp_pktin_config_opt_t;

typedef union odp_pktout_config_opt_t {
    struct {
        uint64_t ts_ena : 1;
        uint64_t ipv4_chksum_ena : 1;
        uint64_t udp_chksum_ena : 1;
        uint64_t tcp_chksum_ena : 1;
        uint64_t sctp_chksum_ena : 1;
        uint64_t ipv4_chksum : 1;
        uint64_t udp_chksum : 1;
        uint64_t tcp_chksum : 1;
        uint64_t sctp_chksum : 1;
        uint64_t no_packet_refs : 1;
        uint64_t aging_ena : 1;
        uint64_t proto_stats_ena : 1;
    } bit;
    uint64_t all_bits;
} odp_pktout_config_opt_t;

typedef struct odp_pktio_parser_config_t {
    odp_proto_layer_t layer;
} odp_pktio_parser_config_t;

typedef enum odp_pktio_link_pause_t {
    ODP_PKTIO_LINK_PAUSE_UNKNOWN = -1,
    ODP_PKTIO_LINK_PAUSE_OFF = 0,
    ODP_PKTIO_LINK_PAUSE_ON = 1,
    ODP_PKTIO_LINK_PFC_ON = 2
} odp_pktio_link_pause_t;

typedef struct odp_pktio_config_t {
    odp_pktin_config_opt_t pktin;
    odp_pktout_config_opt_t pktout;
    odp_pktio_parser_config_t parser;
    odp_bool_t enable_loop;
    odp_bool_t enable_lso;
    struct {
        odp_pktio_link_pause_t pause_rx;
        odp_pktio_link_pause_t pause_tx;
    } flow_control;
} odp_pktio_config_t;

typedef union odp_pktio_set_op_t {
    struct {
        uint32_t promisc_mode : 1;
        uint32_t mac_addr : 1;
        uint32_t skip_offset : 1;
        uint32_t maxlen : 1;
    } op;
    uint32_t all_bits;
} odp_pktio_set_op_t;

/* Supported counters of odp_pktio_stats_t, one bit each in the order of its members. */
typedef struct odp_pktio_stats_capability_t {
    struct {
        union {
            struct {
                uint64_t in_octets : 1;
                uint64_t in_packets : 1;
                uint64_t in_ucast_pkts : 1;
                uint64_t in_mcast_pkts : 1;
                uint64_t in_bcast_pkts : 1;
                uint64_t in_discards : 1;
                uint64_t in_errors : 1;
                uint64_t out_octets : 1;
                uint64_t out_packets : 1;
                uint64_t out_ucast_pkts : 1;
                uint64_t out_mcast_pkts : 1;
                uint64_t out_bcast_pkts : 1;
                uint64_t out_discards : 1;
                uint64_t out_errors : 1;
            } counter;
            uint64_t all_counters;
        };
    } pktio;
    struct {
        union {
            struct {
                uint64_t octets : 1;
                uint64_t packets : 1;
                uint64_t discards : 1;
                uint64_t errors : 1;
            } counter;
            uint64_t all_counters;
        };
    } pktin_queue;
    struct {
        union {
            struct {
                uint64_t octets : 1;
                uint64_t packets : 1;
                uint64_t discards : 1;
                uint64_t errors : 1;
            } counter;
            uint64_t all_counters;
        };
    } pktout_queue;
} odp_pktio_stats_capability_t;

typedef struct odp_pktio_capability_t {
    uint32_t max_input_queues;
    uint32_t min_input_queue_size;
    uint32_t max_input_queue_size;
    uint32_t max_output_queues;
    uint32_t min_output_queue_size;
    uint32_t max_output_queue_size;
    odp_pktio_config_t config;
    odp_pktio_set_op_t set_op;
    struct {
        odp_bool_t equal;
        uint32_t min_input;
        uint32_t max_input;
        uint32_t min_output;
        uint32_t max_output;
    } maxlen;
    odp_pktio_stats_capability_t stats;
} odp_pktio_capability_t;

typedef enum odp_pktio_link_status_t {
    ODP_PKTIO_LINK_STATUS_UNKNOWN = -1,
    ODP_PKTIO_LINK_STATUS_DOWN = 0,
    ODP_PKTIO_LINK_STATUS_UP = 1
} odp_pktio_link_status_t;

typedef struct odp_pktio_info_t {
    const char *name;
    const char *drv_name;
    odp_pool_t pool;
    odp_pktio_param_t param;
} odp_pktio_info_t;

#define ODP_PKTIO_LINK_SPEED_UNKNOWN 0
#define ODP_PKTIO_LINK_SPEED_10M 10
#define ODP_PKTIO_LINK_SPEED_100M 100
#define ODP_PKTIO_LINK_SPEED_1G 1000
#define ODP_PKTIO_LINK_SPEED_2_5G 2500
#define ODP_PKTIO_LINK_SPEED_5G 5000
#define ODP_PKTIO_LINK_SPEED_10G 10000
#define ODP_PKTIO_LINK_SPEED_20G 20000
#define ODP_PKTIO_LINK_SPEED_25G 25000
#define ODP_PKTIO_LINK_SPEED_40G 40000
#define ODP_PKTIO_LINK_SPEED_50G 50000
#define ODP_PKTIO_LINK_SPEED_56G 56000
#define ODP_PKTIO_LINK_SPEED_100G 100000
#define ODP_PKTIO_LINK_SPEED_200G 200000
#define ODP_PKTIO_LINK_SPEED_400G 400000

typedef enum odp_pktio_link_autoneg_t {
    ODP_PKTIO_LINK_AUTONEG_UNKNOWN = -1,
    ODP_PKTIO_LINK_AUTONEG_OFF = 0,
    ODP_PKTIO_LINK_AUTONEG_ON = 1
} odp_pktio_link_autoneg_t;

typedef enum odp_pktio_link_duplex_t {
    ODP_PKTIO_LINK_DUPLEX_UNKNOWN = -1,
    ODP_PKTIO_LINK_DUPLEX_HALF = 0,
    ODP_PKTIO_LINK_DUPLEX_FULL = 1
} odp_pktio_link_duplex_t;

typedef struct odp_pktio_link_info_t {
    odp_pktio_link_autoneg_t autoneg;
    odp_pktio_link_duplex_t duplex;
    const char *media;
    odp_pktio_link_pause_t pause_rx;
    odp_pktio_link_pause_t pause_tx;
    uint32_t speed; /* Mbit/s, 0: unknown */
    odp_pktio_link_status_t status;
} odp_pktio_link_info_t;

typedef struct odp_pktio_stats_t {
    uint64_t in_octets;
    uint64_t in_packets;
    uint64_t in_ucast_pkts;
    uint64_t in_mcast_pkts;
    uint64_t in_bcast_pkts;
    uint64_t in_discards; /* lost as a ring was full */
    uint64_t in_errors;   /* too long for a buffer, cut off at the end of a file */
    uint64_t out_octets;
    uint64_t out_packets;
    uint64_t out_ucast_pkts;
    uint64_t out_mcast_pkts;
    uint64_t out_bcast_pkts;
    uint64_t out_discards;
    uint64_t out_errors; /* taken but not transmitted */
} odp_pktio_stats_t;

typedef struct odp_pktin_queue_stats_t {
    uint64_t octets;
    uint64_t packets;
    uint64_t discards;
    uint64_t errors;
} odp_pktin_queue_stats_t;

typedef struct odp_pktout_queue_stats_t {
    uint64_t octets;
    uint64_t packets;
    uint64_t discards;
    uint64_t errors;
} odp_pktout_queue_stats_t;

typedef struct odp_pktio_extra_stat_info_t {
    char name[ODP_PKTIO_STATS_EXTRA_NAME_LEN];
} odp_pktio_extra_stat_info_t;

#endif
