/* A door: a capture file, classic or pcapng, as `pcap:` and `mem:` read it. */
#include <odp_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define IDLE_MAX 100u /* receives in a row that give nothing: the input has come to its end */

static odp_instance_t instance;
static odp_pool_t pool;

static int say_nothing(odp_log_level_t level, const char *format, ...) {
    (void)level, (void)format;
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    odp_init_t init;
    odp_pool_param_t param;
    odp_init_param_init(&init);
    init.log_fn = say_nothing;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = 256;
    param.pkt.len = 2048;
    param.pkt.seg_len = 2048;
    if (odp_init_global(&instance, &init, NULL) || odp_init_local(instance, ODP_THREAD_CONTROL) ||
        (pool = odp_pool_create("door", &param)) == ODP_POOL_INVALID)
        abort();
    return 0;
}

static void receive_all(odp_pktio_t pktio) {
    odp_pktin_queue_param_t in;
    odp_pktin_queue_t queue;
    odp_pktin_queue_param_init(&in);
    in.op_mode = ODP_PKTIO_OP_MT_UNSAFE;
    if (odp_pktin_queue_config(pktio, &in) || odp_pktin_queue(pktio, &queue, 1) != 1 || odp_pktio_start(pktio))
        abort();
    odp_packet_t packets[32];
    for (unsigned idle = 0; idle < IDLE_MAX; idle++) {
        int got = odp_pktin_recv(queue, packets, 32);
        if (got <= 0)
            continue;
        for (int i = 0; i < got; i++)
            if (odp_packet_len(packets[i]) == 0 || odp_packet_len(packets[i]) > 2048)
                abort();
        odp_packet_free_multi(packets, got);
        idle = 0;
    }
    if (odp_pktio_stop(pktio))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const drivers[] = {"pcap", "mem"};
    int file = memfd_create("door.pcap", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    for (unsigned i = 0; i < 2; i++) {
        char name[64];
        odp_pktio_param_t param;
        odp_pktio_param_init(&param);
        param.in_mode = ODP_PKTIN_MODE_DIRECT;
        param.out_mode = ODP_PKTOUT_MODE_DISABLED;
        snprintf(name, sizeof(name), "%s:/proc/self/fd/%d", drivers[i], file);
        odp_pktio_t pktio = odp_pktio_open(name, pool, &param);
        if (pktio == ODP_PKTIO_INVALID)
            continue;
        receive_all(pktio);
        if (odp_pktio_close(pktio))
            abort();
    }
    close(file);
    return 0;
}
