// The C side of `import os.signpost`. What it brings is in the Swift module `os`.
#pragma once
