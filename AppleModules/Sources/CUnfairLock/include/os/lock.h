// The C side of `import os.lock`. What it brings is in the Swift module `os`.
#pragma once
