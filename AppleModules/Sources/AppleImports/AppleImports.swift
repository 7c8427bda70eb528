// Empty. A file that imports this module and Foundation imports AppleNames as well, and with Dispatch DispatchNames: Scripts/build-with-corebluetooth
// writes these cross-import overlays, and lets every file import this module. So the names, and the modules that they need, are in files that
// import Foundation or Dispatch, and in no others: a module that is loaded changes what names mean in every file that sees it.
