#include "QuietLog.h"

#include <stdlib.h>

// Runs before any Swift code, so before the first logger reads the variable. A value from outside stays.
__attribute__((constructor)) static void quiet_log(void) { setenv("BLUETOOTH_LOG", "critical", 0); }
