// What the conditions of a program compare with: numbers, and texts. Search by mutation puts them into inputs. A
// variant with counters (abi/cover.h) has them in a section that is not loaded.
#ifndef VEER_ABI_WORDS_H
#define VEER_ABI_WORDS_H

#define WORDS_SECTION "veer_words"
#define WORDS_MAGIC 0x3153445257474556u // "VEGWRDS1"

// For each unit a struct cover_sites with this magic, whose `count` is the number of words, and behind it the words,
// each as the number of its bytes (LEB128) and the bytes. Numbers are written as a user would: "-1", "7531", "0.25".
enum { WORDS_LONGEST = 64, WORDS_MOST = 2000 }; // bytes of a word; words of a unit

#endif
