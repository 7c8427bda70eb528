// The C side of `import ObjectiveC.objc`. What it brings is in the Swift module `ObjectiveC`.
#pragma once
