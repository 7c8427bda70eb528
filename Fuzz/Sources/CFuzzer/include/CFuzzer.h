#pragma once
#include <stddef.h>
#include <stdint.h>

/// The driver of libFuzzer. Calls `target` with each input until its options say that it is done, and returns the exit code.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *octets, size_t count));
