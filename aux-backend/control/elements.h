/* Elements of registers, read and set by the control thread while workers use them. Values are bytes, most significant
 * first: macs_value_bytes(desc->bits) of them. */
#ifndef MACS_CONTROL_ELEMENTS_H
#define MACS_CONTROL_ELEMENTS_H

#include <macs/extern.h>

void macs_element_get(const struct macs_register *reg, const struct macs_extern_desc *desc, uint32_t index,
                      uint8_t *bytes);
/* False: a worker holds it and does not let go. */
bool macs_element_set(struct macs_register *reg, const struct macs_extern_desc *desc, uint32_t index,
                      const uint8_t *bytes);

#endif
