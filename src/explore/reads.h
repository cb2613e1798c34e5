// What a run in a scene read that the scene does not have: the test that it was made from took another way.
#ifndef VEER_EXPLORE_READS_H
#define VEER_EXPLORE_READS_H

#include "expr/trace.h"
#include "run/input.h"
#include "run/scene.h"

// Adds the files to the input, as they are today: those that come along with a finding (findings/scenery.h), up to
// 1 MB each. The names are the traced program's.
void reads_add(struct input *in, const struct trace *t, const struct scene *scene);

#endif
