// The state that an input makes up for a fragment (abi/fragment.h), with types: what each cell is an object of, and
// its values as text for people, as JSON, as initialisers of C.
#ifndef VEER_SHAPE_STATE_H
#define VEER_SHAPE_STATE_H

#include "abi/fragment.h"
#include "shape/shape.h"
#include "shape/system.h"

// As the input has it; the caller keeps the bytes. Order is that of the input.
struct state_part {
	const char *name; // place, "" of the frame
	const uint8_t *data;
	const uint8_t *mask; // relevant bits, as many bytes; NULL: all
	size_t size;
};

enum state_kind {
	STATE_UNTYPED, // nothing that is known leads there
	STATE_FRAME,
	STATE_GLOBAL,
	STATE_OBJECT, // behind a pointer
	STATE_RESULT, // of a stub, what it writes
	STATE_SYSTEM, // of a function of the system (system.h), what it writes
};

struct state_cell {
	struct state_part part;
	enum state_kind kind;
	struct shape_ref type;        // of an element
	uint64_t count;               // elements that the cell has room for; 1 unless it is an object
	struct shape_ref at;          // the global; of a result, the function
	const struct system_call *of; // likewise, of STATE_SYSTEM
	uint32_t call;                // of a result: which one, from 1
};

struct state {
	const struct shape_program *program;
	struct fragment_entry entry;
	struct fragment_name *names; // globals, then stubs
	struct shape_ref function;
	struct state_cell *cells;
	uint32_t n;
};

// Reads an entry and its cells. -1 with *err filled: the program has no such function or marker, or the entry is none.
// Cells whose place names nothing are STATE_UNTYPED. `program` and the parts' bytes must outlive the state.
int state_read(struct state *ret, const struct shape_program *program, const void *entry, size_t size,
               const struct state_part *parts, uint32_t n, struct err *err);
void state_release(struct state *s);

const struct shape_table *state_table(const struct state *s, struct shape_ref type);
const struct shape_type *state_type(const struct state *s, struct shape_ref type);

// A structure whose last member is an array without a size.
bool state_is_flexible(const struct state *s, struct shape_ref type);

// --- values -----------------------------------------------------------------------------------------

enum state_leaf_kind {
	STATE_NUMBER, // integer, enumeration, float; a bit-field when `bits` is not 0
	STATE_TEXT,   // characters
	STATE_POINTER,
	STATE_RAW, // bytes without a type, or a union of which no member says all that is relevant
};

// Something in a cell that has a value of its own.
struct state_leaf {
	enum state_leaf_kind kind;
	uint32_t cell;
	uint64_t offset, size; // in bytes
	uint8_t bit, bits;
	struct shape_ref type;           // of a text: of one character. SHAPE_NOWHERE of STATE_RAW
	const struct shape_field *field; // the member it is, or the element of; NULL: none
	const char *place;               // "p->next", in the words of C; ends with the visit
	const char *path;                // of the cell's object: ".next", "[1].at.x", ""
	bool matters;
	bool in_union;    // other members of a union lie there, too
	bool is_flexible; // an element of an array without a size, or a part of a complex number
};

// Visits the leaves of a cell in the order of memory. Of the frame, what the fragment's marker reads: parameters at
// the entry.
void state_walk(const struct state *s, uint32_t cell, void (*visit)(const struct state_leaf *, void *opaque),
                void *opaque);

// Where a pointer leads: a cell, or
enum { STATE_NULL = UINT32_MAX, STATE_KEPT = UINT32_MAX - 1, STATE_UNTOUCHED = UINT32_MAX - 2 };
// STATE_UNTOUCHED: an object of its own that the run never touched.
uint32_t state_target(const struct state *s, const struct state_leaf *pointer);
// The object that a cell of a stub ("callee#1:*p") writes over; STATE_UNTOUCHED: it is no such cell.
uint32_t state_changed(const struct state *s, uint32_t cell);

// A number's value, its bits without sign extension, and with it; up to 16 bytes.
unsigned __int128 state_bits(const struct state *s, const struct state_leaf *number);
__int128 state_integer(const struct state *s, const struct state_leaf *number);

// Is it a bit-field of a signed type, or a signed number?
bool state_is_signed(const struct state *s, const struct state_leaf *number);

// --- state_text.c, state_json.c ---------------------------------------------------------------------

// A line for each relevant value: "p->next->len = 3", "s = \"abc\"", "q = p", "p->next = NULL".
void state_print(const struct state *s, struct buf *out);

// An object: function, marker, globals, stubs, and of each cell its name, type, size and relevant values.
void state_json(const struct state *s, struct buf *out);

// A value as people read it, without its place.
void state_print_value(const struct state *s, const struct state_leaf *leaf, struct buf *out);

// --- state_c.c --------------------------------------------------------------------------------------

// Appends a number as a constant expression of C, which compilers accept without a warning.
void state_c_number(const struct state *s, const struct state_leaf *number, struct buf *out);
// Of a float: whether C has constants of its type; __bf16 and __float128 become 0.
bool state_c_has_constants(const struct state *s, const struct state_leaf *number);

// Appends what stands between the braces of an initialiser, for all leaves of the cell that matter and can be
// initialised: ".next = &cell_2, .at.x = 3". `address` appends the address a pointer has, false: it is left out.
// What cannot be initialised (bytes without a type, elements of arrays without a size) is given to `rest`. `only`: a
// field of the frame, which is an object of its own then; NULL: the whole cell.
struct state_c {
	bool (*address)(const struct state_leaf *pointer, uint32_t target, struct buf *out, void *opaque);
	void (*rest)(const struct state_leaf *leaf, void *opaque);
	void *opaque;
};

void state_c_initialiser(const struct state *s, uint32_t cell, const struct shape_field *only,
                         const struct state_c *how, struct buf *out);

// A string of C, with quotes.
void state_c_string(const uint8_t *data, size_t size, struct buf *out);

#endif
