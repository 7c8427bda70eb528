// OpenCombine under Apple's name. The other files add what OpenCombine lacks.
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
