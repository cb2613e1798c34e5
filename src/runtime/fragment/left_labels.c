// What the values are made of that a run leaves (LAUNCH_LABELS in abi/launch.h): events for who compares them with
// another version's on all runs of a path.
#include <string.h>

#include "runtime/fragment/left.h"
#include "runtime/fragment/left_walk.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/rt.h"

static uint32_t n_lines;

void left_next_line(void)
{
	n_lines++;
}

static bool is_followed(void)
{
	return launch_labels && rt_on;
}

static const uint8_t *was(const struct left_walk *w, uint64_t at)
{
	return w->before ? w->before + (at - w->base) : NULL;
}

static label label_before(const struct left_walk *w, uint64_t at)
{
	return w->input < RT_NO_INPUT && was(w, at) ? rt_input_byte(w->input, (uint32_t)(at - w->base), *was(w, at))
	                                            : 0;
}

bool left_is_same(const struct left_walk *w, uint64_t at, uint64_t size)
{
	if (!w->before || memcmp(was(w, at), (const void *)at, size) != 0)
		return false;
	bool same = true;
	for (uint64_t i = 0; is_followed() && i < size && same; i++)
		same = rt_load(at + i, 1) == label_before(w, at + i);
	return same;
}

bool left_is_same_pointer(const struct left_walk *w, uint64_t at)
{
	if (!w->before || memcmp(was(w, at), (const void *)at, sizeof(uint64_t)) != 0)
		return false;
	return !is_followed() || rt_load(at, sizeof(uint64_t)) == rt_choice_of(label_before(w, at));
}

static void note(enum left_byte_kind kind, uint64_t offset, uint8_t byte, label l)
{
	const struct left_byte b = {
		.line = n_lines - 1, .offset = (uint16_t)offset, .byte = byte, .kind = (uint8_t)kind};
	uint64_t value;
	_Static_assert(sizeof b == sizeof value, "events have room for it");
	memcpy(&value, &b, sizeof value);
	rt_event(EVENT_LEFT, NULL, l, value);
}

void left_note_unclear(uint64_t at, uint64_t size)
{
	if (is_followed() && rt_any(at, size))
		note(LEFT_UNCLEAR, 0, 0, 0);
}

void left_note_bytes(const struct left_walk *w, uint64_t at, uint64_t size)
{
	enum { LONGEST = 512 };
	bool any = false;
	for (uint64_t i = 0; is_followed() && i < size && !any; i++)
		any = rt_load(at + i, 1) || label_before(w, at + i);
	if (any && size > LONGEST) {
		note(LEFT_UNCLEAR, 0, 0, 0);
		return;
	}
	for (uint64_t i = 0; any && i < size; i++) {
		label now = rt_load(at + i, 1), before = label_before(w, at + i);
		note(LEFT_AFTER, i, *(const uint8_t *)(at + i), now);
		if (was(w, at) && (before != now || *was(w, at + i) != *(const uint8_t *)(at + i)))
			note(LEFT_BEFORE, i, *was(w, at + i), before);
	}
}

// Where objects lie is another place in another version: which byte of the input says what it leads to is the same.
void left_note_pointer(uint64_t at)
{
	label pointer = is_followed() ? rt_load(at, sizeof(uint64_t)) : 0, target = rt_target_of(pointer);
	if (target)
		note(LEFT_TARGET, 0, 0, target);
	else if (pointer || (is_followed() && rt_any(at, sizeof(uint64_t))))
		note(LEFT_UNCLEAR, 0, 0, 0);
}
