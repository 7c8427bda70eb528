// The part of UIKit that libraries touch which show nothing: the device, and the life of the application.
@_exported import Foundation
