import BLEAdapter
import BLEController
import BLEHost
import BLEWire

/// What the Bluetooth host of a phone or a computer decides by itself, and what its controller can do, for a device of a world or a program on a
/// shared radio. `Platform` of BLESimulator describes the values for users, and the presets with their sources.
package struct HostPlatform: Hashable, Sendable {
    /// Octets; a value beyond 23 to 517 becomes the nearest limit.
    package var maximumTransmissionUnit = Int(HostConfiguration().localMTU)
    package var exchangesMaximumTransmissionUnit = true
    package var connectionInterval: ClosedRange<Duration> = .milliseconds(30)...(.milliseconds(30))
    package var supervisionTimeout = Duration.seconds(2)
    package var parameterPolicy = ParameterPolicy.reachable
    /// Octets; a value beyond 27 to 251 becomes the nearest limit.
    package var maximumDataLength = 251
    package var uses2MPHY = true
    /// A value beyond 1 to 64 becomes the nearest limit.
    package var linkLimit = 32
    /// Nil if the host uses its identity address.
    package var privateAddressInterval: Duration?
    /// A value beyond 0 to 5 becomes the nearest limit.
    package var enhancedBearers = 0
    package var callbackRules = CallbackRules()
    /// Whether Apple's rules for programs in the background apply.
    package var limitsBackground = false

    /// A device without a platform.
    package init() {}

    /// The configuration of the host.
    package var hostConfiguration: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.localMTU = UInt16(min(max(maximumTransmissionUnit, Int(ATT.defaultMTU)), 517))
        configuration.exchangesMTU = exchangesMaximumTransmissionUnit
        configuration.enhancedBearers = min(max(enhancedBearers, 0), 5)
        configuration.uses2MPHY = uses2MPHY
        configuration.parameterPolicy = parameterPolicy
        configuration.connectionParameters = RequestedConnectionParameters(
            intervalMinimum: connectionInterval.lowerBound.connectionUnits,
            intervalMaximum: connectionInterval.upperBound.connectionUnits, latency: 0,
            timeout: supervisionTimeout.timeoutUnits)
        // A supervision timeout that is too short for the interval would make each connection fail.
        while !configuration.connectionParameters.isValid { configuration.connectionParameters.timeout += 1 }
        if let privateAddressInterval {
            configuration.privacy.usesPrivateAddress = true
            configuration.privacy.addressLifetime = min(
                max(TimeSpan(privateAddressInterval), .seconds(1)), .seconds(3600))
        }
        return configuration
    }

    /// The configuration of the controller.
    package var controllerConfiguration: ControllerConfiguration {
        var configuration = ControllerConfiguration()
        configuration.maximumDataLength = UInt16(min(max(maximumDataLength, 27), 251))
        configuration.supports2M = uses2MPHY
        configuration.connectionLimit = min(max(linkLimit, 1), 64)
        return configuration
    }
}

extension HostPlatform {
    package static var iPhone: HostPlatform {
        var platform = HostPlatform()
        platform.maximumTransmissionUnit = 185
        platform.supervisionTimeout = .milliseconds(720)
        platform.parameterPolicy = .apple
        platform.linkLimit = 7
        platform.privateAddressInterval = .seconds(900)
        platform.limitsBackground = true
        return platform
    }

    package static var iPhoneIOS11: HostPlatform {
        var platform = iPhone
        platform.callbackRules.connectsReadyToWrite = false
        platform.callbackRules.hasTimedDisconnections = false
        return platform
    }

    package static var xiaomi: HostPlatform {
        var platform = android(links: 10)
        platform.maximumTransmissionUnit = 247
        platform.exchangesMaximumTransmissionUnit = true
        return platform
    }

    package static func android(links: Int) -> HostPlatform {
        var platform = HostPlatform()
        platform.maximumTransmissionUnit = 517
        platform.exchangesMaximumTransmissionUnit = false
        platform.connectionInterval = .milliseconds(30)...(.milliseconds(50))
        platform.supervisionTimeout = .seconds(5)
        platform.parameterPolicy = .raised(minimum: Duration.microseconds(11_250).connectionUnits)
        platform.linkLimit = links
        platform.privateAddressInterval = .seconds(900)
        return platform
    }

    package static var windows: HostPlatform {
        var platform = HostPlatform()
        platform.maximumTransmissionUnit = 517
        platform.connectionInterval = .milliseconds(60)...(.milliseconds(60))
        platform.supervisionTimeout = .milliseconds(9_600)
        return platform
    }

    package static func blueZ(channels: Int) -> HostPlatform {
        var platform = HostPlatform()
        platform.maximumTransmissionUnit = 517
        platform.connectionInterval = .milliseconds(30)...(.milliseconds(50))
        platform.supervisionTimeout = .milliseconds(420)
        platform.enhancedBearers = min(max(channels, 1), 6) - 1
        return platform
    }

    /// The presets by the names that world files, the shared radio and the studio use.
    package static let presets: [String: HostPlatform] = [
        "iphone": .iPhone, "iphone-ios-11": .iPhoneIOS11, "pixel": .android(links: 7), "galaxy": .android(links: 10),
        "xiaomi": .xiaomi, "windows": .windows, "bluez": .blueZ(channels: 1), "bluez-eatt": .blueZ(channels: 3),
    ]

    /// The controllers of the presets, for a shared radio.
    package static var controllers: [String: ControllerConfiguration] { presets.mapValues(\.controllerConfiguration) }
}

extension Duration {
    /// This time in units of 1.25 ms, 6 to 3200 (Vol 6, Part B, 4.5.1).
    package var connectionUnits: UInt16 { UInt16(min(max(TimeSpan(self).nanoseconds / 1_250_000, 6), 3_200)) }

    /// This time in units of 10 ms, 10 to 3200 (Vol 6, Part B, 4.5.2).
    package var timeoutUnits: UInt16 { UInt16(min(max(TimeSpan(self).nanoseconds / 10_000_000, 10), 3_200)) }
}
