// Keeps the log of the test process quiet. Tests provoke warnings and errors on purpose; they look like failures in the output.
// Set BLUETOOTH_LOG, for example to debug, to see them. Also turns the stack traces of thrown errors off.
#pragma once
