/* Annotations whose form P4Runtime fixes. */
@p4runtime_translation("example.org/a", bool)
type bit<9> a_t;
@p4runtime_translation("example.org/b", bit<4 + 5>)
type bit<9> b_t;
@p4runtime_translation("example.org/c")
type bit<9> c_t;
@p4runtime_translation("example.org/d", bit<9>)
type bit<9> good_t;
@p4runtime_translation("example.org/e", string)
type bit<9> good2_t;
@pkginfo
const bit<9> x = 1;
@pkginfo["version"]
const bit<9> y = 1;
