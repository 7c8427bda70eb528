// Replaced by the first example.
