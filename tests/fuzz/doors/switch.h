/* A switch within a fuzz target: tests/fuzz/doors/doors.p4 with four `ctl:` ports and one worker, which does its work
 * in this thread when it is told to. So a run of the same input is the same run.
 */
#ifndef TESTS_FUZZ_DOORS_SWITCH_H
#define TESTS_FUZZ_DOORS_SWITCH_H

#include "control/console.h"
#include "runtime/datapath.h"
#include "runtime/lifecycle.h"
#include "runtime/stats.h"

/* What libFuzzer calls: once, and with each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DOOR_PORTS 4u

struct door {
    struct macs_switch *sw;
    struct macs_console console;
};

/* Made at the first call, with the entries of the file that MACSAD_DOOR_ENTRIES names, if it is set. Aborts when that
 * fails. */
struct door *door(void);

/* Whether an input may name the commands that add and remove ports: the worker of a door, which no thread runs, would
 * not be told. Such inputs are left out. */
bool door_changes_ports(const uint8_t *data, size_t size);

/* Let the worker receive and process all that has been injected, at these B and b; what it sends is thrown away. Aborts
 * unless each frame is accounted for. */
void door_work(struct door *door, uint32_t burst, uint32_t sub_batch);

/* Empty all tables, and forget a command to end: what one input does, the next one does not find. */
void door_clear(struct door *door);

#endif
