// The C side of `import os.activity`. What it brings is in the Swift module `os`.
#pragma once
