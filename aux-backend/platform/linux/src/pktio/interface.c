/* See interface.h. */
#include "pktio/interface.h"

#include "pktio/netdev.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { VLAN_TAG = 4 };

/* When nothing comes: how often to look if the interface is still there, and how many polls before looking at the time.
 */
#define CHECK_NS (200 * ODP_TIME_MSEC_IN_NS)
enum { CHECK_POLLS = 16 };

static void maxlen_read(struct macs_odp_interface *interface) {
    int mtu = macs_odp_netdev_mtu(interface->name);
    if (mtu > 0)
        __atomic_store_n(&interface->maxlen, (uint32_t)mtu + ETH_HLEN + VLAN_TAG, __ATOMIC_RELAXED);
}

int macs_odp_interface_open(struct macs_odp_interface *interface, struct macs_odp_pktio *pktio, const char *name,
                            void (*rebind)(struct macs_odp_pktio *pktio)) {
    int ifindex = macs_odp_netdev_index(name);
    if (ifindex < 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: no interface \"%s\": %s\n", pktio->name, name,
                     odp_errno_str(macs_odp_error));
        return -1;
    }
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: packet sockets are refused (they need root or CAP_NET_RAW): %s\n",
                     pktio->name, strerror(errno));
        return macs_odp_fail(errno);
    }
    *interface = (struct macs_odp_interface){.pktio = pktio, .ifindex = ifindex, .membership_fd = fd, .rebind = rebind};
    macs_odp_name(interface->name, sizeof(interface->name), name);
    pthread_mutex_init(&interface->lock, NULL);
    maxlen_read(interface);
    return 0;
}

void macs_odp_interface_close(struct macs_odp_interface *interface) {
    if (interface->promisc && interface->promisc_flag)
        macs_odp_netdev_promisc_set(interface->name, false);
    close(interface->membership_fd);
    pthread_mutex_destroy(&interface->lock);
}

static int promisc_apply(struct macs_odp_interface *interface, bool enable) {
    struct packet_mreq request = {.mr_ifindex = interface->ifindex, .mr_type = PACKET_MR_PROMISC};
    int name = enable ? PACKET_ADD_MEMBERSHIP : PACKET_DROP_MEMBERSHIP;
    int result = setsockopt(interface->membership_fd, SOL_PACKET, name, &request, sizeof(request));
    if (result == 0 || errno != ENOPROTOOPT)
        return result == 0 ? 0 : macs_odp_fail(errno);
    interface->promisc_flag = true;
    return macs_odp_netdev_promisc_set(interface->name, enable);
}

int macs_odp_interface_promisc_set(struct macs_odp_interface *interface, bool enable) {
    if (enable != interface->promisc && promisc_apply(interface, enable) != 0)
        return -1;
    interface->promisc = enable;
    return 0;
}

static void is_back(struct macs_odp_interface *interface, int ifindex) {
    macs_odp_log(ODP_LOG_WARN, "port %s: the interface is back\n", interface->pktio->name);
    interface->ifindex = ifindex;
    interface->rebind(interface->pktio);
    if (interface->promisc)
        promisc_apply(interface, true);
}

void macs_odp_interface_check(struct macs_odp_interface *interface) {
    const char *port = interface->pktio->name;
    if (pthread_mutex_trylock(&interface->lock) != 0)
        return; /* another thread is looking */
    int ifindex = macs_odp_netdev_index(interface->name);
    if (ifindex < 0 && !interface->gone) {
        macs_odp_log(ODP_LOG_WARN, "port %s: the interface is gone\n", port);
        if (interface->lost != NULL)
            interface->lost(interface->pktio);
    }
    if (ifindex >= 0 && (interface->gone || ifindex != interface->ifindex))
        is_back(interface, ifindex);
    bool down = ifindex >= 0 && macs_odp_netdev_link(interface->name) != ODP_PKTIO_LINK_STATUS_UP;
    if (down != interface->down && ifindex >= 0)
        macs_odp_log(ODP_LOG_WARN, "port %s: the interface is %s\n", port, down ? "down" : "up");
    __atomic_store_n(&interface->gone, ifindex < 0, __ATOMIC_RELAXED);
    __atomic_store_n(&interface->down, down, __ATOMIC_RELAXED);
    maxlen_read(interface);
    __atomic_store_n(&interface->checked_ns, odp_time_global_ns(), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&interface->lock);
}

void macs_odp_interface_due(struct macs_odp_interface *interface) {
    if (odp_time_global_ns() - __atomic_load_n(&interface->checked_ns, __ATOMIC_RELAXED) > CHECK_NS)
        macs_odp_interface_check(interface);
}

void macs_odp_interface_idle(struct macs_odp_interface *interface, uint32_t *idle) {
    if (++*idle % CHECK_POLLS == 0)
        macs_odp_interface_due(interface);
}
