/* The writer's functions of custom CRCs.
 *
 * Threads: the control thread.
 * Errors: -ENOMEM; -EBUSY: a reader does not report.
 */
#ifndef MACS_RUNTIME_CUSTOM_CRC_H
#define MACS_RUNTIME_CUSTOM_CRC_H

#include <macs/custom_crc.h>

int macs_custom_crc_create(struct macs_custom_crc **created, uint32_t width, struct macs_qsbr *qsbr);
/* No reader may use it any more. */
void macs_custom_crc_destroy(struct macs_custom_crc *crc);

int macs_custom_crc_set(struct macs_custom_crc *crc, const struct macs_crc_parameters *parameters);

#endif
