// The C side of `import os.log`. What it brings is in the Swift module `os`.
#pragma once
