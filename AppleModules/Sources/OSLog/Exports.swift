// The older door to the same things: `import OSLog`.
@_exported import os
