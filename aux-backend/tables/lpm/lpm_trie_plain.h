/* The twin of lpm_trie, without path compression: behind the first two bytes there is a node for each byte of a prefix.
 *
 * Lookups are the same. It shows what path compression gains, and tests compare the two.
 */
#ifndef MACS_TABLES_LPM_TRIE_PLAIN_H
#define MACS_TABLES_LPM_TRIE_PLAIN_H

#include "lpm_trie.h"

#define macs_lpm_trie_plain_cursor macs_lpm_trie_cursor
#define macs_lpm_trie_plain_start macs_lpm_trie_start
#define macs_lpm_trie_plain_step macs_lpm_trie_step
#define macs_lpm_trie_plain_finish macs_lpm_trie_finish
#define macs_lpm_trie_plain_bulk macs_lpm_trie_bulk
#define macs_lpm_trie_plain_bulk_start macs_lpm_trie_bulk_start

#endif
