/* Packets: allocation, release, and calls that move or copy data. */
#include "pool/pool.h"

#include <string.h>

int odp_packet_alloc_multi(odp_pool_t pool, uint32_t len, odp_packet_t pkt[], int num) {
    if (odp_unlikely(pool == NULL || pool->param.type != ODP_POOL_PACKET || len == 0 || len > pool->max_len || num < 0))
        return macs_odp_fail(EINVAL);
    uint32_t got = macs_odp_packet_take(pool, pkt, (uint32_t)num);
    for (uint32_t i = 0; i < got; i++)
        macs_odp_packet_start(pkt[i], pool->headroom, len, -1);
    if (got < (uint32_t)num)
        macs_odp_error = ENOMEM;
    return (int)got;
}

odp_packet_t odp_packet_alloc(odp_pool_t pool, uint32_t len) {
    odp_packet_t pkt;
    return odp_packet_alloc_multi(pool, len, &pkt, 1) == 1 ? pkt : ODP_PACKET_INVALID;
}

void odp_packet_free(odp_packet_t pkt) {
    macs_odp_packet_give(pkt->event.pool, &pkt, 1);
}

void odp_packet_free_multi(const odp_packet_t pkt[], int num) {
    odp_event_free_multi((const odp_event_t *)(const void *)pkt, num);
}

void odp_packet_free_sp(const odp_packet_t pkt[], int num) {
    if (num > 0)
        macs_odp_packet_give(pkt[0]->event.pool, pkt, (uint32_t)num);
}

uint32_t odp_packet_reset_max_len(odp_packet_t pkt) {
    return macs_odp_room(pkt) - pkt->event.pool->headroom;
}

int odp_packet_reset(odp_packet_t pkt, uint32_t len) {
    if (len == 0 || len > odp_packet_reset_max_len(pkt))
        return macs_odp_fail(EINVAL);
    macs_odp_packet_start(pkt, pkt->event.pool->headroom, len, -1);
    return 0;
}

void odp_packet_reset_meta(odp_packet_t pkt) {
    macs_odp_packet_start(pkt, odp_packet_headroom(pkt), macs_odp_len(pkt), -1);
}

static bool inside(odp_packet_t pkt, uint32_t offset, uint32_t len) {
    return offset <= macs_odp_len(pkt) && len <= macs_odp_len(pkt) - offset;
}

/* Move the data so that there are `headroom` bytes before them. */
static void shift(odp_packet_t pkt, uint32_t headroom) {
    memmove(macs_odp_head(pkt) + headroom, macs_odp_data(pkt), macs_odp_len(pkt));
    macs_odp_place(pkt, macs_odp_head(pkt) + headroom, macs_odp_len(pkt));
}

int odp_packet_extend_head(odp_packet_t *pkt, uint32_t len, void **data_ptr, uint32_t *seg_len) {
    odp_packet_t p = *pkt;
    int moved = len > odp_packet_headroom(p);
    if (moved && (uint64_t)len + macs_odp_len(p) > macs_odp_room(p))
        return macs_odp_fail(ENOSPC);
    if (moved)
        shift(p, len);
    odp_packet_push_head(p, len);
    if (data_ptr != NULL)
        *data_ptr = macs_odp_data(p);
    if (seg_len != NULL)
        *seg_len = macs_odp_len(p);
    return moved;
}

int odp_packet_extend_tail(odp_packet_t *pkt, uint32_t len, void **data_ptr, uint32_t *seg_len) {
    odp_packet_t p = *pkt;
    int moved = len > odp_packet_tailroom(p);
    if (moved && (uint64_t)len + macs_odp_len(p) > macs_odp_room(p))
        return macs_odp_fail(ENOSPC);
    if (moved)
        shift(p, macs_odp_room(p) - macs_odp_len(p) - len);
    void *tail = odp_packet_push_tail(p, len);
    if (data_ptr != NULL)
        *data_ptr = tail;
    if (seg_len != NULL)
        *seg_len = len;
    return moved;
}

int odp_packet_trunc_head(odp_packet_t *pkt, uint32_t len, void **data_ptr, uint32_t *seg_len) {
    if (odp_packet_pull_head(*pkt, len) == NULL)
        return macs_odp_fail(EINVAL);
    if (data_ptr != NULL)
        *data_ptr = macs_odp_data(*pkt);
    if (seg_len != NULL)
        *seg_len = macs_odp_len(*pkt);
    return 0;
}

int odp_packet_trunc_tail(odp_packet_t *pkt, uint32_t len, void **tail_ptr, uint32_t *tailroom) {
    if (odp_packet_pull_tail(*pkt, len) == NULL)
        return macs_odp_fail(EINVAL);
    if (tail_ptr != NULL)
        *tail_ptr = odp_packet_tail(*pkt);
    if (tailroom != NULL)
        *tailroom = odp_packet_tailroom(*pkt);
    return 0;
}

int odp_packet_add_data(odp_packet_t *pkt, uint32_t offset, uint32_t len) {
    odp_packet_t p = *pkt;
    uint32_t old_len = macs_odp_len(p);
    if (offset > old_len || odp_packet_extend_tail(pkt, len, NULL, NULL) < 0)
        return macs_odp_fail(EINVAL);
    memmove(macs_odp_data(p) + offset + len, macs_odp_data(p) + offset, old_len - offset);
    return 1;
}

int odp_packet_rem_data(odp_packet_t *pkt, uint32_t offset, uint32_t len) {
    odp_packet_t p = *pkt;
    if (offset > macs_odp_len(p) || len > macs_odp_len(p) - offset || len >= macs_odp_len(p))
        return macs_odp_fail(EINVAL);
    memmove(macs_odp_data(p) + offset, macs_odp_data(p) + offset + len, macs_odp_len(p) - offset - len);
    macs_odp_place(p, macs_odp_data(p), macs_odp_len(p) - len);
    return 1;
}

int odp_packet_concat(odp_packet_t *dst, odp_packet_t src) {
    uint32_t offset = macs_odp_len(*dst), len = macs_odp_len(src);
    int moved = *dst == src ? macs_odp_fail(EINVAL) : odp_packet_extend_tail(dst, len, NULL, NULL);
    if (moved < 0)
        return moved;
    memcpy(macs_odp_data(*dst) + offset, macs_odp_data(src), len);
    odp_packet_free(src);
    return moved;
}

int odp_packet_split(odp_packet_t *pkt, uint32_t len, odp_packet_t *tail) {
    uint32_t whole = macs_odp_len(*pkt);
    if (len == 0 || len >= whole)
        return macs_odp_fail(EINVAL);
    odp_packet_t rest = odp_packet_copy_part(*pkt, len, whole - len, odp_packet_pool(*pkt));
    if (rest == ODP_PACKET_INVALID)
        return -1;
    *tail = rest;
    macs_odp_place(*pkt, macs_odp_data(*pkt), len);
    return 0;
}

int odp_packet_align(odp_packet_t *pkt, uint32_t offset, uint32_t len, uint32_t align) {
    odp_packet_t p = *pkt;
    if ((align & (align - 1)) != 0 || !inside(p, offset, len))
        return macs_odp_fail(EINVAL);
    uint32_t over = align == 0 ? 0 : (uint32_t)((uintptr_t)(macs_odp_data(p) + offset) & (align - 1));
    if (over == 0)
        return 0;
    uint32_t headroom = odp_packet_headroom(p), up = align - over;
    if (over > headroom && up > odp_packet_tailroom(p))
        return macs_odp_fail(ENOSPC);
    shift(p, over <= headroom ? headroom - over : headroom + up);
    return 1;
}

int odp_packet_copy_to_mem(odp_packet_t pkt, uint32_t offset, uint32_t len, void *dst) {
    if (!inside(pkt, offset, len))
        return macs_odp_fail(EINVAL);
    memcpy(dst, macs_odp_data(pkt) + offset, len);
    return 0;
}

int odp_packet_copy_from_mem(odp_packet_t pkt, uint32_t offset, uint32_t len, const void *src) {
    if (!inside(pkt, offset, len))
        return macs_odp_fail(EINVAL);
    memcpy(macs_odp_data(pkt) + offset, src, len);
    return 0;
}

int odp_packet_copy_from_pkt(odp_packet_t dst, uint32_t dst_offset, odp_packet_t src, uint32_t src_offset,
                             uint32_t len) {
    if (!inside(dst, dst_offset, len) || !inside(src, src_offset, len))
        return macs_odp_fail(EINVAL);
    memmove(macs_odp_data(dst) + dst_offset, macs_odp_data(src) + src_offset, len);
    return 0;
}

int odp_packet_move_data(odp_packet_t pkt, uint32_t dst_offset, uint32_t src_offset, uint32_t len) {
    return odp_packet_copy_from_pkt(pkt, dst_offset, pkt, src_offset, len);
}

int odp_packet_copy_data(odp_packet_t pkt, uint32_t dst_offset, uint32_t src_offset, uint32_t len) {
    return odp_packet_copy_from_pkt(pkt, dst_offset, pkt, src_offset, len);
}

odp_packet_t odp_packet_copy_part(odp_packet_t pkt, uint32_t offset, uint32_t len, odp_pool_t pool) {
    odp_packet_t copy = inside(pkt, offset, len) ? odp_packet_alloc(pool, len) : ODP_PACKET_INVALID;
    if (copy != ODP_PACKET_INVALID)
        memcpy(macs_odp_data(copy), macs_odp_data(pkt) + offset, len);
    return copy;
}

odp_packet_t odp_packet_copy(odp_packet_t pkt, odp_pool_t pool) {
    odp_packet_t copy = odp_packet_copy_part(pkt, 0, macs_odp_len(pkt), pool);
    if (copy != ODP_PACKET_INVALID && copy->uarea_size < pkt->uarea_size) {
        odp_packet_free(copy);
        macs_odp_error = EINVAL;
        copy = ODP_PACKET_INVALID;
    }
    if (copy == ODP_PACKET_INVALID)
        return copy;
    macs_odp_user_ptr_change(copy, macs_odp_user_ptr(pkt));
    copy->ts_ns = pkt->ts_ns;
    macs_odp_layers_copy(copy, pkt);
    macs_odp_flags_change(&copy->event, ~0u, macs_odp_flags(&pkt->event));
    macs_odp_input_change(copy, macs_odp_input(pkt));
    if (odp_unlikely(macs_odp_segment(pkt)))
        macs_odp_segment_change(copy, macs_odp_segment(pkt));
    memcpy(copy + 1, pkt + 1, pkt->uarea_size);
    return copy;
}

void odp_packet_from_event_multi(odp_packet_t pkt[], const odp_event_t event[], int num) {
    for (int i = 0; i < num; i++)
        pkt[i] = odp_packet_from_event(event[i]);
}

void odp_packet_to_event_multi(const odp_packet_t pkt[], odp_event_t event[], int num) {
    for (int i = 0; i < num; i++)
        event[i] = odp_packet_to_event(pkt[i]);
}

int odp_packet_is_valid(odp_packet_t pkt) {
    return odp_event_is_valid((odp_event_t)(void *)pkt) && pkt->event.type == ODP_EVENT_PACKET;
}

uint64_t odp_packet_to_u64(odp_packet_t pkt) {
    return (uintptr_t)pkt;
}

uint64_t odp_packet_seg_to_u64(odp_packet_seg_t seg) {
    return (uintptr_t)seg;
}

void odp_packet_print(odp_packet_t pkt) {
    macs_odp_log(ODP_LOG_PRINT, "packet %u of pool %s: %u bytes, headroom %u, tailroom %u, input %d\n",
                 pkt->event.index, pkt->event.pool->name, macs_odp_len(pkt), odp_packet_headroom(pkt),
                 odp_packet_tailroom(pkt), macs_odp_input(pkt));
}

void odp_packet_print_data(odp_packet_t pkt, uint32_t offset, uint32_t len) {
    if (!inside(pkt, offset, len))
        return;
    for (uint32_t row = 0; row < len; row += 16) {
        char hex[16 * 3 + 1] = "";
        for (uint32_t i = 0; i < 16 && row + i < len; i++) {
            uint8_t byte = macs_odp_data(pkt)[offset + row + i];
            hex[i * 3] = ' ';
            hex[i * 3 + 1] = "0123456789abcdef"[byte >> 4];
            hex[i * 3 + 2] = "0123456789abcdef"[byte & 15];
            hex[i * 3 + 3] = '\0';
        }
        macs_odp_log(ODP_LOG_PRINT, "%04x:%s\n", offset + row, hex);
    }
}
