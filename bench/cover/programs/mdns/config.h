// The configuration file:
//
//   host NAME                          address ADDRESS
//   service "LABEL" TYPE PORT {        browse TYPE
//       txt "KEY=VALUE"                lookup NAME TYPE
//       priority N                     # a comment
//       weight N
//   }
#ifndef CONFIG_H
#define CONFIG_H

#include "host.h"

struct config_error {
	int line;
	const char *why;
};

int config_read(struct host *h, const char *text, struct config_error *err); // -1: *err says why

#endif
