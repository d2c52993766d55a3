/* See netdev.h; netdevice(7) has the requests. */
#include "pktio/netdev.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int request(const char *name, unsigned long what, struct ifreq *ifr) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* a kernel without IPv4 */
    if (fd < 0)
        return macs_odp_fail(errno);
    macs_odp_name(ifr->ifr_name, sizeof(ifr->ifr_name), name);
    int result = ioctl(fd, what, ifr) == 0 ? 0 : macs_odp_fail(errno);
    close(fd);
    return result;
}

int macs_odp_netdev_index(const char *name) {
    struct ifreq ifr = {0};
    if (strlen(name) >= sizeof(ifr.ifr_name))
        return macs_odp_fail(ENODEV);
    return request(name, SIOCGIFINDEX, &ifr) == 0 ? ifr.ifr_ifindex : -1;
}

int macs_odp_netdev_mtu(const char *name) {
    struct ifreq ifr = {0};
    return request(name, SIOCGIFMTU, &ifr) == 0 ? ifr.ifr_mtu : -1;
}

int macs_odp_netdev_mac(const char *name, uint8_t mac[6]) {
    struct ifreq ifr = {0};
    if (request(name, SIOCGIFHWADDR, &ifr) != 0)
        return -1;
    memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
    return 0;
}

int macs_odp_netdev_up(const char *name) {
    struct ifreq ifr = {0};
    if (request(name, SIOCGIFFLAGS, &ifr) != 0)
        return -1;
    if (ifr.ifr_flags & IFF_UP) /* as after a stop, when the privilege may be gone */
        return 0;
    ifr.ifr_flags = (short)(ifr.ifr_flags | IFF_UP);
    return request(name, SIOCSIFFLAGS, &ifr);
}

odp_pktio_link_status_t macs_odp_netdev_link(const char *name) {
    struct ifreq ifr = {0};
    if (request(name, SIOCGIFFLAGS, &ifr) != 0)
        return ODP_PKTIO_LINK_STATUS_DOWN;
    bool up = (ifr.ifr_flags & IFF_UP) && (ifr.ifr_flags & IFF_RUNNING);
    return up ? ODP_PKTIO_LINK_STATUS_UP : ODP_PKTIO_LINK_STATUS_DOWN;
}

uint32_t macs_odp_netdev_tx_dropped(const char *name) {
    struct ifaddrs *all;
    uint32_t dropped = 0;
    if (getifaddrs(&all) != 0)
        return 0;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next)
        if (one->ifa_addr != NULL && one->ifa_addr->sa_family == AF_PACKET && one->ifa_data != NULL &&
            strcmp(one->ifa_name, name) == 0)
            dropped = ((const struct rtnl_link_stats *)one->ifa_data)->tx_dropped;
    freeifaddrs(all);
    return dropped;
}

uint32_t macs_odp_netdev_queues(const char *name) {
    struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
    struct ifreq ifr = {.ifr_data = (void *)&channels};
    uint32_t queues = request(name, SIOCETHTOOL, &ifr) == 0 ? channels.rx_count + channels.combined_count : 0;
    return queues > 0 ? queues : 1;
}

/* The line of /proc/net/dev after the name: eight numbers of what was received, then bytes, packets, errors, drops. */
static uint64_t dropped_of(const char *counters) {
    char *end = NULL;
    uint64_t value = 0;
    for (int column = 0; column < 12; column++, counters = end)
        value = strtoull(counters, &end, 10);
    return value;
}

uint64_t macs_odp_netdev_dropped(const char *name) {
    char line[512];
    uint64_t dropped = 0;
    size_t length = strlen(name);
    FILE *file = fopen("/proc/net/dev", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *start = line + strspn(line, " ");
        if (strncmp(start, name, length) == 0 && start[length] == ':')
            dropped = dropped_of(start + length + 1);
    }
    if (file != NULL)
        fclose(file);
    return dropped;
}

int macs_odp_netdev_promisc_set(const char *name, bool enable) {
    struct ifreq ifr = {0};
    if (request(name, SIOCGIFFLAGS, &ifr) != 0)
        return -1;
    ifr.ifr_flags = (short)(enable ? ifr.ifr_flags | IFF_PROMISC : ifr.ifr_flags & ~IFF_PROMISC);
    return request(name, SIOCSIFFLAGS, &ifr);
}

int macs_odp_netdev_promisc(const char *name) {
    struct ifreq ifr = {0};
    return request(name, SIOCGIFFLAGS, &ifr) == 0 ? (ifr.ifr_flags & IFF_PROMISC) != 0 : -1;
}
