// What Foundation brings on Apple's systems and not on Linux. There this module is no more than Foundation.
@_exported import Foundation
