// Replaced by the room's first test.
