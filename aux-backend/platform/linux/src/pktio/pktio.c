/* Ports: the table of drivers, opening and closing, receiving and sending. */
#include "pktio/pktio.h"

#include <stdlib.h>
#include <string.h>

enum { PKTIOS = ODP_PKTIO_MAX_INDEX + 1 };

static struct macs_odp_pktio *pktios[PKTIOS];

/* A name with a driver's and a colon in front is that driver's; a name without colon is an interface's, but for "loop".
 */
static const struct macs_odp_driver *driver_find(const char *name, const char **arguments) {
    for (const struct macs_odp_driver *const *driver = macs_odp_drivers; *driver != NULL; driver++) {
        size_t length = strlen((*driver)->name);
        bool colon = strncmp(name, (*driver)->name, length) == 0 && name[length] == ':';
        if (colon || ((*driver)->alone && strcmp(name, (*driver)->name) == 0)) {
            *arguments = name + length + colon;
            return *driver;
        }
    }
    *arguments = name;
    return strchr(name, ':') == NULL && *name != '\0' ? &macs_odp_driver_af_packet : NULL;
}

static struct macs_odp_pktio *find(const char *name) {
    for (uint32_t index = 0; index < PKTIOS; index++)
        if (pktios[index] != NULL && strcmp(pktios[index]->name, name) == 0)
            return pktios[index];
    return NULL;
}

/* Called under the lock. */
static struct macs_odp_pktio *pktio_new(const char *name, odp_pool_t pool, const odp_pktio_param_t *param) {
    const char *arguments = NULL;
    uint32_t index = 0;
    const struct macs_odp_driver *driver = driver_find(name, &arguments);
    while (index < PKTIOS && pktios[index] != NULL)
        index++;
    macs_odp_error = driver == NULL ? ENODEV : find(name) != NULL ? EBUSY : ENOSPC;
    if (driver == NULL)
        macs_odp_log(ODP_LOG_ERR, "port %s: no such driver\n", name);
    else if (macs_odp_error == EBUSY)
        macs_odp_log(ODP_LOG_ERR, "port %s is already open\n", name);
    if (macs_odp_error != ENOSPC || index == PKTIOS)
        return NULL;
    struct macs_odp_pktio *pktio = calloc(1, sizeof(*pktio));
    if (pktio == NULL)
        return NULL;
    macs_odp_name(pktio->name, sizeof(pktio->name), name);
    pktio->driver = driver;
    pktio->pool = pool;
    pktio->param = *param;
    pktio->index = index;
    pktio->max_in = driver->max_input_queues;
    pktio->max_out = driver->max_output_queues;
    odp_pktio_config_init(&pktio->config);
    if (driver->open(pktio, arguments) != 0) {
        free(pktio);
        return NULL;
    }
    pool->users++;
    pktios[index] = pktio;
    return pktio;
}

odp_pktio_t odp_pktio_open(const char *name, odp_pool_t pool, const odp_pktio_param_t *param) {
    odp_pktio_param_t defaults;
    odp_pktio_param_init(&defaults);
    if (param == NULL)
        param = &defaults;
    bool in_ok = param->in_mode == ODP_PKTIN_MODE_DIRECT || param->in_mode == ODP_PKTIN_MODE_DISABLED;
    bool out_ok = param->out_mode == ODP_PKTOUT_MODE_DIRECT || param->out_mode == ODP_PKTOUT_MODE_DISABLED;
    if (!in_ok || !out_ok || pool == NULL || pool->param.type != ODP_POOL_PACKET ||
        strlen(name) >= ODP_FIELD_SIZEOF(struct macs_odp_pktio, name)) {
        macs_odp_error = EINVAL;
        return ODP_PKTIO_INVALID;
    }
    pthread_mutex_lock(&macs_odp_lock);
    odp_pktio_t pktio = pktio_new(name, pool, param);
    pthread_mutex_unlock(&macs_odp_lock);
    return pktio;
}

/* Called under the lock. */
static void pktio_free(struct macs_odp_pktio *pktio) {
    pktio->driver->close(pktio);
    pktios[pktio->index] = NULL;
    pktio->pool->users--;
    free(pktio->in);
    free(pktio->out);
    free(pktio);
}

int odp_pktio_close(odp_pktio_t pktio) {
    if (pktio == NULL || pktio->started)
        return macs_odp_fail(pktio == NULL ? EINVAL : EBUSY);
    pthread_mutex_lock(&macs_odp_lock);
    pktio_free(pktio);
    pthread_mutex_unlock(&macs_odp_lock);
    return 0;
}

unsigned macs_odp_pktio_term(void) {
    unsigned left = 0;
    for (uint32_t index = 0; index < PKTIOS; index++)
        if (pktios[index] != NULL) {
            if (pktios[index]->started)
                odp_pktio_stop(pktios[index]);
            pktio_free(pktios[index]);
            left++;
        }
    return left;
}

odp_pktio_t odp_pktio_lookup(const char *name) {
    pthread_mutex_lock(&macs_odp_lock);
    odp_pktio_t pktio = find(name);
    pthread_mutex_unlock(&macs_odp_lock);
    return pktio;
}

int odp_pktin_queue(odp_pktio_t pktio, odp_pktin_queue_t queues[], int num) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    for (uint32_t i = 0; queues != NULL && i < pktio->num_in && (int)i < num; i++)
        queues[i] = &pktio->in[i];
    return (int)pktio->num_in;
}

int odp_pktout_queue(odp_pktio_t pktio, odp_pktout_queue_t queues[], int num) {
    if (pktio == NULL)
        return macs_odp_fail(EINVAL);
    for (uint32_t i = 0; queues != NULL && i < pktio->num_out && (int)i < num; i++)
        queues[i] = &pktio->out[i];
    return (int)pktio->num_out;
}

int odp_pktio_start(odp_pktio_t pktio) {
    if (pktio == NULL || pktio->started)
        return macs_odp_fail(EINVAL);
    if ((pktio->param.in_mode == ODP_PKTIN_MODE_DIRECT && pktio->num_in == 0) ||
        (pktio->param.out_mode == ODP_PKTOUT_MODE_DIRECT && pktio->num_out == 0))
        return macs_odp_fail(EINVAL);
    if (pktio->driver->start != NULL && pktio->driver->start(pktio) != 0)
        return -1;
    __atomic_store_n(&pktio->started, true, __ATOMIC_RELEASE);
    return 0;
}

int odp_pktio_stop(odp_pktio_t pktio) {
    if (pktio == NULL || !pktio->started)
        return macs_odp_fail(EINVAL);
    __atomic_store_n(&pktio->started, false, __ATOMIC_RELEASE);
    return pktio->driver->stop != NULL ? pktio->driver->stop(pktio) : 0;
}

int odp_pktin_recv(odp_pktin_queue_t queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    if (odp_unlikely(!__atomic_load_n(&pktio->started, __ATOMIC_RELAXED) || num <= 0))
        return 0;
    if (queue->locked)
        odp_spinlock_lock(&queue->lock);
    int got = pktio->driver->recv(queue, packets, num);
    if (queue->locked)
        odp_spinlock_unlock(&queue->lock);
    if (pktio->config.parser.layer != ODP_PROTO_LAYER_NONE)
        macs_odp_parse_received(packets, got, pktio->config.parser.layer);
    return got;
}

int odp_pktout_send(odp_pktout_queue_t queue, const odp_packet_t packets[], int num) {
    int sent;
    if (odp_unlikely(!__atomic_load_n(&queue->pktio->started, __ATOMIC_RELAXED) || num <= 0))
        return 0;
    if (!queue->locked)
        return queue->pktio->driver->send(queue, packets, num);
    odp_spinlock_lock(&queue->lock);
    sent = queue->pktio->driver->send(queue, packets, num);
    odp_spinlock_unlock(&queue->lock);
    return sent;
}

uint64_t odp_pktin_wait_time(uint64_t nsec) {
    return nsec;
}

int odp_pktin_recv_mq_tmo(const odp_pktin_queue_t queues[], uint32_t num_q, uint32_t *from, odp_packet_t packets[],
                          int num, uint64_t wait) {
    uint64_t until = odp_time_global_ns() + wait, pause = MACS_ODP_PAUSE_MIN;
    for (;;) {
        for (uint32_t i = 0; i < num_q; i++) {
            int got = odp_pktin_recv(queues[i], packets, num);
            if (from != NULL && got > 0)
                *from = i;
            if (got != 0)
                return got;
        }
        uint64_t now = odp_time_global_ns();
        if (wait == ODP_PKTIN_NO_WAIT || now >= until)
            return 0;
        macs_odp_wait(queues, num_q, until - now, &pause);
    }
}

int odp_pktin_recv_tmo(odp_pktin_queue_t queue, odp_packet_t packets[], int num, uint64_t wait) {
    return odp_pktin_recv_mq_tmo(&queue, 1, NULL, packets, num, wait);
}

odp_pktio_t odp_packet_input(odp_packet_t pkt) {
    return macs_odp_input(pkt) < 0 ? ODP_PKTIO_INVALID : pktios[macs_odp_input(pkt)];
}

void odp_packet_input_set(odp_packet_t pkt, odp_pktio_t pktio) {
    macs_odp_input_change(pkt, pktio == ODP_PKTIO_INVALID ? -1 : (int)pktio->index);
}

unsigned int odp_pktio_max_index(void) {
    return ODP_PKTIO_MAX_INDEX;
}

int odp_pktio_index(odp_pktio_t pktio) {
    return pktio == NULL ? macs_odp_fail(EINVAL) : (int)pktio->index;
}

uint64_t odp_pktio_to_u64(odp_pktio_t pktio) {
    return (uintptr_t)pktio;
}
