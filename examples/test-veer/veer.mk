# `make test-veer`: builds the project with veer-cc, runs its tests, and looks for what they could have found.
#
# In a makefile: include veer.mk. In a Makefile.am: include $(top_srcdir)/veer.mk.
# It needs the targets `all`, `check` and `clean`, and that `make CC=...` changes the compiler.
#
# What veer-cc makes are the programs that clang makes, so they may stay where they are.
VEER = veer
VEER_CC = veer-cc
VEER_FLAGS = --budget 1m --error-exitcode=1

test-veer:
	$(MAKE) clean
	$(MAKE) CC="$(VEER_CC)"
	$(VEER) test $(VEER_FLAGS) -- $(MAKE) CC="$(VEER_CC)" check

.PHONY: test-veer
