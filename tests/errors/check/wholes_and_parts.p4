// Wholes that cannot be compared because of a part, lists for headers, built-in methods called with what they do not take.
#include <core.p4>

header h_t { bit<8> a; bit<8> b; }
header one_t { bit<8> a; }
struct box_t<T> { T inside; bit<8> beside; }
struct s_t { h_t h; one_t one; h_t[2] stack; }
extern Cell { Cell(); bit<8> get(); }

bool boxes<T>(in box_t<T> a, in box_t<T> b) { return a == b; }
bool tuples<T>(in tuple<bit<8>, T> a, in tuple<bit<8>, T> b) { return a != b; }
bool boxes_of_boxes<T>(in box_t<box_t<T>> a, in box_t<box_t<T>> b) { return a == b; }
bool boxes_of_bits(in box_t<bit<8>> a, in box_t<bit<8>> b) { return a == b; }
bit<8> joined() { return (bit<8>) (1 ++ 2); }

control c(inout s_t s) {
    Cell() cell;
    apply {
        s.h = { 1, 2, 3 };
        s.one = { 1, 2 };
        s.stack = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
        s.h.setInvalid<bit<8>>();
        s.stack.push_front(_);
        s.stack.pop_front(1, 2);
        s.one.a = cell.Cell();
        s.one.a = cell.gets();
    }
}
