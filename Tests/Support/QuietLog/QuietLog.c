#include "QuietLog.h"

#include <stdlib.h>

// Runs before any Swift code, so before the first logger reads the variable. A value from outside stays. A process that a quiet
// test process starts from the same program is an exit test: it logs as usual, for its parent reads what it writes.
__attribute__((constructor)) static void quiet_log(void) {
    if (getenv("OPENCOREBLUETOOTH_QUIET_TESTS") != NULL) {
        unsetenv("BLUETOOTH_LOG");
    } else if (getenv("BLUETOOTH_LOG") == NULL) {
        setenv("BLUETOOTH_LOG", "critical", 1);
        setenv("OPENCOREBLUETOOTH_QUIET_TESTS", "1", 1);
    }
}

// Swift Testing otherwise records a stack trace for every thrown error, also for the expected ones: more than half of the time of
// tests that decode damaged packets. A value from outside stays.
__attribute__((constructor)) static void no_stack_traces_of_errors(void) { setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", 0); }
