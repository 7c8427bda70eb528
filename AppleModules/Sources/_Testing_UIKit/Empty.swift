// Empty. A file that imports Testing and UIKit imports this module as well, because the toolchain for Linux contains the cross-import overlay
// but not its module.
