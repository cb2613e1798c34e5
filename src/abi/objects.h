// How runs of the sanitized variant are given the bytes of objects that a program makes symbolic itself: a file of
// this name beside the folder of reports.
#ifndef VEER_ABI_OBJECTS_H
#define VEER_ABI_OBJECTS_H

#define OBJECTS_FILE "objects"

#endif
