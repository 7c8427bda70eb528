// The C side of `import ObjectiveC.message`. What it brings is in the Swift module `ObjectiveC`.
#pragma once
