#!/bin/sh
# The store against its model: 10,000 random sequences (tests/unit/test_store_model.c) instead of the 100 of every check.
VEER_LONG=1 "$VEER_BUILD/tests/unit/test_store_model" | sed 's/store_model/store_sequences/'
