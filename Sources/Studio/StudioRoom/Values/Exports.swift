// The programs of a room are those of worlds.
@_exported import WorldFiles
