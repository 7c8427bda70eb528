// The part of Apple's module `ObjectiveC` that Swift programs use.
@_exported import AppleNames
@_exported import class Foundation.NSObject
