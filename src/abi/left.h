// What a run of a fragment leaves (LAUNCH_LEFT in abi/launch.h): lines of text, their fields separated by tabs. In a
// field a byte that is not printable, and the backslash, is \xNN.
//
//   end     returned, exited or cut: the run broke an assumption on made-up state, and says nothing
//   value   PLACE TYPE VALUE BEFORE: what is not as it was, or new. Of a new object BEFORE is empty
//   call    NAME ARGUMENT...: a call of a function of the system (abi/outside.def)
//   leads   PLACE NAME: to which function of the program a made-up pointer leads
//   full    there was more than there is room for
//
// Places are those of abi/fragment.h; "return" is the result; what is behind a pointer to characters, or of a type that
// is not known, has a star before it. TYPE is a letter and the size in bytes:
//
//   i, u    an integer with sign, without
//   f       a floating-point number, in hexadecimal
//   t       text: up to the first zero when all before that is printable, otherwise all bytes
//   p       a pointer: null; @PLACE of an object that the input made up; =PLACE of a new object that another pointer
//   leads
//           to, new: the first one that does; &NAME of a function or global; "TEXT; ? of anything else
#ifndef VEER_ABI_LEFT_H
#define VEER_ABI_LEFT_H

#include <stdint.h>

#define LEFT_END "end"
#define LEFT_VALUE "value"
#define LEFT_CALL "call"
#define LEFT_LEADS "leads"
#define LEFT_FULL "full"

#define LEFT_RETURNED "returned"
#define LEFT_EXITED "exited"
#define LEFT_CUT "cut"

#define LEFT_RESULT "return"

enum { LEFT_MOST = 1 << 18 }; // bytes of a report

// LAUNCH_LABELS: values that could be other ones on the same path are reported, too, even where this run leaves them as
// they were. What such a value is made of are events LEFT, whose value is this: a byte each, from the lowest one on.
enum left_byte_kind {
	LEFT_AFTER,   // the byte, as it is left
	LEFT_BEFORE,  // as it was, where that is something else
	LEFT_TARGET,  // of a pointer: the byte of the input that says what it leads to
	LEFT_UNCLEAR, // the value depends on the input, and the trace does not say how
	LEFT_BYTE_KINDS,
};

struct left_byte {
	uint32_t line; // of those of values, from 0 on
	uint16_t offset;
	uint8_t byte, kind;
};

#endif
