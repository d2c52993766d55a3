/* Included by annotations.p4. */
#ifndef ANNOTATIONS_TYPES
#define ANNOTATIONS_TYPES
@controller_header("unused") header work_t {
    bit<8> op;
    bit<8> a; // a comment
    bit<8> /* and another */ r;
}
struct headers_t { work_t work; }
#endif
