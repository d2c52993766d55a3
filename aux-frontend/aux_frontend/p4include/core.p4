// The P4-16 core library: what every architecture shares.
// Source: P4-16 specification 1.2.5, appendix D and the sections named below.

#ifndef _CORE_P4_
#define _CORE_P4_

// The errors that the language itself raises (section 12.8, 12.9, 8.18).
error {
    NoError,
    PacketTooShort,         // extract or advance past the end of the packet
    NoMatch,                // select without a matching case
    StackOutOfBounds,       // .next or .last outside of the stack
    HeaderTooShort,         // extract of more bits than the varbit field holds
    ParserTimeout,          // the parser took longer than the architecture allows
    ParserInvalidArgument   // a run-time argument that the target does not support
}

// The match kinds that every architecture has (section 14.2.1.1).
match_kind {
    exact,
    ternary,
    lpm
}

// The packet as a parser reads it, front to back (section 12.8).
extern packet_in {
    // Fills a header of fixed size and makes it valid.
    void extract<T>(out T hdr);
    // Fills a header with one varbit field, which gets this many bits.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // The bits to come, without moving on.
    T lookahead<T>();
    // Moves on by this many bits.
    void advance(in bit<32> sizeInBits);
    // Of the whole packet, in bytes; not every architecture knows it.
    bit<32> length();
}

// The packet as a deparser writes it (section 15.1).
extern packet_out {
    // Appends a header when it is valid; for stacks, structs and unions each header in them.
    void emit<T>(in T hdr);
}

// Goes to the reject state with this error unless the check holds (section 12.7).
extern void verify(in bool check, in error toSignal);

// Checked when the program is compiled: the program is rejected when the check is false; the result is true.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

// Does nothing: the default action of a table that names none.
@noWarn("unused")
action NoAction() {}

#endif
