// The C side of `import ObjectiveC.objc_sync`. What it brings is in the Swift module `ObjectiveC`.
#pragma once
