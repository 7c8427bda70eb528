// Counts the heap allocations of the process, all threads together: linking this replaces malloc and its siblings.
#ifndef CALLOCATIONCOUNTER_H
#define CALLOCATIONCOUNTER_H

/// How many allocations there were since the start.
unsigned long allocation_count(void);

#endif
