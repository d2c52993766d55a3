/* What the bare loops beside production programs have in common: names of the tables and counters of the C that macsad
 * makes of a program, which they are compiled with, and the checksum of a header.
 */
#ifndef MACSAD_BENCH_BARE_H
#define MACSAD_BENCH_BARE_H

#define STATE_OF(name) tables[TABLE_##name].state
#define DEFAULT_OF(name) macs_table_default(&tables[TABLE_##name])
#define COUNT(name, index, bytes) macs_counter_add(externs[name##_counter_extern], worker, index, bytes)

/* Where a header would be that a frame has not: its fields are zero. */
static const uint8_t bare_nothing[64];

/* The checksum of an IPv4 header of 20 bytes, but for that field. */
static inline uint16_t bare_checksum(const uint8_t *ip) {
    uint64_t sum = macs_load32(ip) + macs_load32(ip + 4) + (macs_load32(ip + 8) & 0xffff0000) + macs_load32(ip + 12) +
                   macs_load32(ip + 16);
    return (uint16_t)macs_checksum_of_sum(sum);
}

#endif
