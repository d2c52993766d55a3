// Members, indices and slices: what there is of each type, and what an index or a bound must be.
#include <core.p4>

header h_t { bit<8> a; }
header_union u_t { h_t h; }
enum bit<8> Kind { one = 1, many = 9 }
enum Color { red }
type bit<8> Id;
const int top = 3;
extern Cell { Cell(); bit<8> get(); }
bit<32> last_of(in h_t[4] s) { return s.lastIndex; }
h_t next_of(inout h_t[4] s) { return s.next; }
parser p(packet_in packet, out h_t[4] s, out u_t[2] unions, out bit<8>[4] bytes)(int at) {
    state start {
        packet.extract(s.next);
        s.last.a = s.lastIndex[7:0] + bytes.lastIndex[7:0];
        bytes.next = s.size[7:0];
        packet.extract(unions.next.h);
        s[at].a = 1;
        transition accept;
    }
}
control c(inout h_t h, inout h_t[4] s, inout bit<8>[4] bytes, inout bit<8> n, in int<8> i, in Kind k, in bool b, in Id id) {
    Cell() cell;
    table t { key = { n : exact; } actions = { NoAction; } }
    tuple<bit<8>, bool> pair = { 1, true };
    bit<8> x;
    bool y;
    apply {
        x = s.last.a;
        y = s.lastIndex == 1;
        x = s[3].a;
        x = s[4].a;
        x = s[-1].a;
        x = s[0].a + s[n].a + s[k].a + s[i].a + s[Kind.one].a;
        x = s[Kind.many].a;
        x = s[Color.red].a;
        x = s[b].a;
        x = s[id].a;
        x = bytes[top];
        x = bytes[4];
        x = pair[0];
        x = pair[2];
        y = pair[1];
        x = pair[n];
        x = n[0];
        bytes.push_front(1);
        s.push_front(0);
        s.pop_front(n);
        s.push_back(1);
        x = h.isValid;
        x = h.aa;
        x = cell.get;
        x = cell.gett;
        x = b.a;
        x = id.a;
        x = pair.a;
        y = t.apply().hit;
        y = t.apply().mis;
        x = t.apply().action_run;
        y = t.size;
        x = Kind.two;
        x = Color.rd;
        x = error.NoErrr;
        x = match_kind.exat;
        x = Cell.get;
        x = n[7:0];
        x = n[8:1];
        x[3:4] = 1;
        x[3:3] = 1;
        x = 4w0 ++ n[3 +: 4];
        x = 4w0 ++ n[5 +: 4];
        x = 4w0 ++ n[4 +: 4];
        x = 4w0 ++ n[0 +: 0];
        x = 4w0 ++ n[n +: 4];
        x = n[n +: 8];
        x = 1w0 ++ n[n +: 9];
        x = n[n +: 0];
        x = 4w0 ++ n[i +: 4];
        x = 4w0 ++ n[n:4];
        x = 4w0 ++ k[7:4];
        x = 4w0 ++ n[k:4];
        x = 4w0 ++ n[Kind.one +: 4];
        x = i[7:0];
        x = id[7:0];
        x = 257[7:0];
        x = n[1048577:0];
        x = n[-1:0];
    }
}
