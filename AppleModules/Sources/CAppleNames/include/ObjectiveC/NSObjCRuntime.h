// The C side of `import ObjectiveC.NSObjCRuntime`. What it brings is in the Swift module `ObjectiveC`.
#pragma once
