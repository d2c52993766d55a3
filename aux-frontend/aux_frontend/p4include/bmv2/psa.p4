// PSA as BMv2's psa_switch has it: nothing is added.
#include <psa.p4>
