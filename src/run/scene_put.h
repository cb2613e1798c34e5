// scene_put in parts, for who runs a scene many times.
#ifndef VEER_RUN_SCENE_PUT_H
#define VEER_RUN_SCENE_PUT_H

#include "run/scene.h"

// Of all that it is, times included: views of scenes with the same name are the same.
struct hash scene_name(const struct scene *s);

// Makes the scene's files what runs find from now on; cheap when they are already. NULL: what is really there.
int scene_show(const struct scene *s, struct hash name, const char *files, struct sandbox *sandbox, struct err *err);

// Files of the input, for the next run; they keep permissions and times that the scene has for them.
int scene_put_input(const struct scene *s, const struct input *in, struct sandbox *sandbox, struct err *err);

#endif
