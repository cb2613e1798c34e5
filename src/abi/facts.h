// What `veer-instrument facts` says of a unit: hashes of its functions, blocks, globals and types, so that two versions
// of a program can be compared without reading their code again. Little endian, texts as of buf_string, lists with
// their length before them:
//
//	u64 FACTS_MAGIC | u32 whether `reduced` is there | source | folder
//	functions: name, symbol, file, u32 line, u32 flags, u64 type, signature, u64 hashes[FACTS_HASHES],
//	           symbols, callees, calls, globals, addresses,
//	           blocks: u64 own, u64 around, lines: u32
//	globals:   name, symbol, function, file, u32 line, u32 flags, u64 type, u64 plain, u64 named, symbols,
//	           addresses, names
//	types:     name, u64 hash, u64 size, u32 kind, fields: name, spelling, u64 offset, u64 type
//
// Flags and kinds are those of abi/shape.h. Symbols in plain and silent hashes are numbers: `symbols` says which they
// are, so a function is found again when others were renamed. The other hashes have the symbols in them.
#ifndef VEER_ABI_FACTS_H
#define VEER_ABI_FACTS_H

#define FACTS_MAGIC 0x3153544341464556u // "VEFACTS1"

// Of two functions that have one of them in common:
enum facts_hash {
	FACTS_PLAIN,   // the code is the same
	FACTS_NAMED,   // only layouts of structures differ: members are named by type and field
	FACTS_SILENT,  // only literals differ that are passed to functions: messages
	FACTS_REDUCED, // it is written in another way: the code is the same after simplification
	FACTS_HASHES
};

#endif
