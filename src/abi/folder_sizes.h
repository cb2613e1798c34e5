// How native runs in a snapshot (input/snapshot.h) see the sizes that its folders had: variables of the environment
// that libveer-folders.so takes away again before the program looks.
#ifndef VEER_ABI_FOLDER_SIZES_H
#define VEER_ABI_FOLDER_SIZES_H

#define FOLDER_SIZES_LIBRARY "libveer-folders.so"
#define FOLDER_SIZES_VARIABLE "VEER_FOLDERS" // SIZE PATH NEWLINE, for each folder

#endif
