public import Foundation

/// The domain of the errors of location managers.
public let kCLErrorDomain: String = "kCLErrorDomain"

/// An error of a location manager.
public struct CLError: _BridgedStoredNSError, Sendable {
    /// The error codes. Those without a remark are not used on Linux.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The structure that carries the code.
        public typealias _ErrorType = CLError

        /// The location is not known.
        case locationUnknown = 0
        /// The user refused the location services.
        case denied = 1
        /// There was no network.
        case network = 2
        /// The heading is not known.
        case headingFailure = 3
        /// The user refused region monitoring.
        case regionMonitoringDenied = 4
        /// The region cannot be monitored: on Linux, it is no beacon region, or 20 regions are monitored already.
        case regionMonitoringFailure = 5
        /// Region monitoring began late.
        case regionMonitoringSetupDelayed = 6
        /// Events of region monitoring are late.
        case regionMonitoringResponseDelayed = 7
        /// A geocoder found nothing.
        case geocodeFoundNoResult = 8
        /// A geocoder found a part.
        case geocodeFoundPartialResult = 9
        /// A geocoder's request was cancelled.
        case geocodeCanceled = 10
        /// Deferred updates failed.
        case deferredFailed = 11
        /// Deferred updates need location updates.
        case deferredNotUpdatingLocation = 12
        /// Deferred updates need the best accuracy.
        case deferredAccuracyTooLow = 13
        /// Deferred updates exclude a distance filter.
        case deferredDistanceFiltered = 14
        /// Deferred updates were cancelled.
        case deferredCanceled = 15
        /// Beacons cannot be ranged: on Linux, Bluetooth is off, or the program cannot use it.
        case rangingUnavailable = 16
        /// Ranging failed.
        case rangingFailure = 17
        /// The user closed the question.
        case promptDeclined = 18
        /// A former location is not known.
        case historicalLocationError = 19
    }

    /// The error in Foundation's representation.
    public let _nsError: NSError

    /// Creates an error from one of the domain ``kCLErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == kCLErrorDomain)
        _nsError = error
    }

    /// The domain of these errors.
    public static var errorDomain: String { kCLErrorDomain }

    /// The same domain, for Foundation's bridging.
    public static var _nsErrorDomain: String { kCLErrorDomain }

    /// Hashes the code. Foundation's implementation for bridged errors traps on Linux.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }
}

extension CLError {
    /// The location is not known.
    public static var locationUnknown: Code { .locationUnknown }
    /// The user refused the location services.
    public static var denied: Code { .denied }
    /// There was no network.
    public static var network: Code { .network }
    /// The heading is not known.
    public static var headingFailure: Code { .headingFailure }
    /// The user refused region monitoring.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// The region cannot be monitored.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
    /// Region monitoring began late.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
    /// Events of region monitoring are late.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
    /// A geocoder found nothing.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
    /// A geocoder found a part.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
    /// A geocoder's request was cancelled.
    public static var geocodeCanceled: Code { .geocodeCanceled }
    /// Deferred updates failed.
    public static var deferredFailed: Code { .deferredFailed }
    /// Deferred updates need location updates.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
    /// Deferred updates need the best accuracy.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
    /// Deferred updates exclude a distance filter.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
    /// Deferred updates were cancelled.
    public static var deferredCanceled: Code { .deferredCanceled }
    /// Beacons cannot be ranged.
    public static var rangingUnavailable: Code { .rangingUnavailable }
    /// Ranging failed.
    public static var rangingFailure: Code { .rangingFailure }
    /// The user closed the question.
    public static var promptDeclined: Code { .promptDeclined }
    /// A former location is not known.
    public static var historicalLocationError: Code { .historicalLocationError }
}
