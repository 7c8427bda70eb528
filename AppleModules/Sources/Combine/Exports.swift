// On Apple's systems this module is the system's own. Elsewhere it is OpenCombine, with what that lacks in the other files.
#if canImport(Darwin)
@_exported import Combine
#else
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
#endif
