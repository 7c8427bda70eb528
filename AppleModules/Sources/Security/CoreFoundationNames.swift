@_exported import Foundation

// Foundation for Linux does not bridge to the classes of CoreFoundation. With Foundation's classes under their names, `dictionary as CFDictionary`
// compiles. They are not in AppleNames, because a file that imports CoreFoundation would then find two of each.

/// CoreFoundation's name for a dictionary.
public typealias CFDictionary = NSDictionary
/// CoreFoundation's name for data.
public typealias CFData = NSData
/// CoreFoundation's name for a string.
public typealias CFString = NSString
/// CoreFoundation's name for a number.
public typealias CFNumber = NSNumber
/// CoreFoundation's name for an error.
public typealias CFError = NSError
/// CoreFoundation's name for any object.
public typealias CFTypeRef = AnyObject

/// CoreFoundation's name for true.
public let kCFBooleanTrue: CFNumber! = true
/// CoreFoundation's name for false.
public let kCFBooleanFalse: CFNumber! = false
