
#include <no_such_model.p4>
