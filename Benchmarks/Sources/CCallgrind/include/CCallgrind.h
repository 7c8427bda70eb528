// Marks the steps of a program for callgrind.
#ifndef CCALLGRIND_H
#define CCALLGRIND_H

/// Ends a step: callgrind writes what it counted since the mark before, under this name. Without callgrind, or without its header at the
/// compilation, nothing happens.
void callgrind_mark(const char *name);

#endif
