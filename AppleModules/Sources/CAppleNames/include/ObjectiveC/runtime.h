// The C side of `import ObjectiveC.runtime`. What it brings is in the Swift module `ObjectiveC`.
#pragma once
