import BLEController
import BLEWire
import Testing

@testable import BLEHost

/// Transmit power, path loss and subrating through the host, on virtual controllers at a distance of 10 m.
struct LinkRadioTests {
    private struct Linked {
        let bench: RadioBench
        let central: RadioHost
        let peripheral: RadioHost
        let link: LinkIdentifier
        let other: LinkIdentifier

        init(
            _ configuration: HostConfiguration = HostConfiguration(), peripheral second: HostConfiguration? = nil,
            power: Int8 = 0
        ) throws {
            var controller = ControllerConfiguration()
            controller.transmitPower = power
            let bench = RadioBench()
            let central = bench.ready(configuration, controller)
            let peripheral = bench.ready(at: RadioPosition(x: 10), second ?? configuration, controller)
            let links = try #require(bench.link(central, peripheral))
            bench.run(.seconds(2))
            self.bench = bench
            self.central = central
            self.peripheral = peripheral
            link = links.0
            other = links.1
        }

        /// What the hosts have learned.
        var events: (central: [LinkRadioEvent], peripheral: [LinkRadioEvent]) {
            (
                central.events.compactMap { if case .radio(link, let event) = $0.event { event } else { nil } },
                peripheral.events.compactMap { if case .radio(other, let event) = $0.event { event } else { nil } }
            )
        }
    }

    private static var subrating: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.acceptedSubrates = RequestedSubrate(factors: 1...50, continuationNumber: 1, timeout: 400)
        return configuration
    }

    private static let zones = PathLossZones(
        highThreshold: 74, highHysteresis: 6, lowThreshold: 55, lowHysteresis: 5, minimumTime: 3)

    private func power(
        _ role: LinkRole, _ power: Int8?, _ limits: LL.PowerLimits, change: Int8?, phy: HCI.PowerPHY = .le1M
    ) -> LinkRadioEvent {
        .transmitPower(TransmitPowerReport(role: role, phy: phy, power: power, limits: limits, change: change))
    }

    @Test func theHostReadsBothPowers() throws {
        let linked = try Linked(power: -6)
        let now = linked.bench.now
        for (host, link) in [(linked.central, linked.link), (linked.peripheral, linked.other)] {
            #expect(host.host.radioFeatures(of: link) == [.localPower, .powerControl, .pathLoss])
            #expect(host.host.readTransmitPower(link, at: now) == true)
            #expect(host.host.readRemoteTransmitPower(link, on: .leCodedS8, at: now) == true)
            #expect(host.host.readTransmitPower(link, on: HCI.PowerPHY(rawValue: 5), at: now) == true)
            #expect(host.host.readRemoteTransmitPower(link, on: HCI.PowerPHY(rawValue: 0), at: now) == true)
        }
        linked.bench.run(.seconds(1))
        let refusals = [HCI.Opcode.leEnhancedReadTransmitPowerLevel, .leReadRemoteTransmitPowerLevel].map {
            LinkRadioEvent.refused($0, .unsupportedFeatureOrParameterValue)
        }
        let central = [power(.central, -6, .maximum, change: nil)] + refusals
        let peripheral = [power(.peripheral, -6, .maximum, change: nil)] + refusals
        #expect(linked.events.central == central + [power(.peripheral, -6, .maximum, change: 0, phy: .leCodedS8)])
        #expect(linked.events.peripheral == peripheral + [power(.central, -6, .maximum, change: 0, phy: .leCodedS8)])
    }

    @Test func changesOfPowerAreReported() throws {
        let linked = try Linked()
        #expect(
            linked.central.host.reportTransmitPower(linked.link, local: false, remote: true, at: linked.bench.now)
                == true)
        #expect(
            linked.peripheral.host.reportTransmitPower(linked.other, local: true, remote: false, at: linked.bench.now)
                == true)
        linked.bench.run(.seconds(1))
        // The hosts have changed the PHY.
        #expect(linked.events.central == [power(.peripheral, 0, .maximum, change: nil, phy: .le2M)])
        // A tool writes the power of the link with the first handle.
        linked.bench.radio.receive(
            [1, 0x0E, 0xFC, 4, 2, 0x40, 0, 0xF1].span, for: linked.peripheral.controller)
        linked.bench.run(.seconds(1))
        #expect(linked.events.central.last == power(.peripheral, -15, [], change: -15, phy: .le2M))
        #expect(linked.events.peripheral == [power(.peripheral, -15, [], change: -15, phy: .le2M)])
    }

    @Test func theZoneOfThePathLossIsReported() throws {
        let linked = try Linked()
        #expect(linked.central.host.reportPathLoss(linked.link, Self.zones, at: linked.bench.now) == true)
        linked.bench.run(.seconds(1))
        #expect(linked.events.central == [.pathLoss(65, .middle)])
        linked.bench.radio.move(linked.peripheral.controller, to: RadioPosition(x: 50))
        linked.bench.run(.seconds(1))
        #expect(linked.events.central == [.pathLoss(65, .middle), .pathLoss(82, .high)])
        #expect(linked.central.host.reportPathLoss(linked.link, nil, at: linked.bench.now) == true)
        linked.bench.run(.seconds(1))
        linked.bench.radio.move(linked.peripheral.controller, to: RadioPosition(x: 10))
        linked.bench.run(.seconds(1))
        #expect(linked.events.central.count == 2)
        // Zones that contradict each other leave those before in force.
        var wrong = Self.zones
        wrong.lowThreshold = 75
        #expect(linked.central.host.reportPathLoss(linked.link, wrong, at: linked.bench.now) == true)
        linked.bench.run(.seconds(1))
        #expect(
            linked.events.central.dropFirst(2) == [
                .refused(.leSetPathLossReportingParameters, .invalidHCICommandParameters), .pathLoss(65, .middle),
            ])
    }

    @Test func eitherSideRequestsASubrate() throws {
        let linked = try Linked(Self.subrating)
        for (host, link) in [(linked.central, linked.link), (linked.peripheral, linked.other)] {
            #expect(host.host.radioFeatures(of: link).contains(.subrating))
        }
        let ten = RequestedSubrate(factors: 10...10, timeout: 400)
        #expect(linked.central.host.requestSubrate(linked.link, ten, at: linked.bench.now) == true)
        linked.bench.run(.seconds(3))
        #expect(linked.events.central == [.subrated(factor: 10, continuationNumber: 0)])
        #expect(linked.events.peripheral == linked.events.central)
        #expect(linked.central.host.information(of: linked.link)?.parameters.timeout == 400)
        let some = RequestedSubrate(factors: 5...8, continuationNumber: 3, timeout: 350)
        #expect(linked.peripheral.host.requestSubrate(linked.other, some, at: linked.bench.now) == true)
        linked.bench.run(.seconds(3))
        #expect(linked.events.central.last == .subrated(factor: 8, continuationNumber: 3))
        #expect(linked.events.peripheral.last == .subrated(factor: 8, continuationNumber: 3))
        #expect(linked.peripheral.host.information(of: linked.other)?.parameters.timeout == 350)
        // The central accepts at most 50.
        let much = RequestedSubrate(factors: 60...70, timeout: 400)
        #expect(linked.peripheral.host.requestSubrate(linked.other, much, at: linked.bench.now) == true)
        linked.bench.run(.seconds(3))
        #expect(linked.events.peripheral.last == .refused(.leSubrateRequest, .unsupportedLLParameterValue))
        #expect(linked.events.central.count == 2)
    }

    /// Without the feature on either side, a call has no effect.
    @Test func subratingNeedsBothHosts() throws {
        let ten = RequestedSubrate(factors: 10...10, timeout: 400)
        for (own, other) in [(HostConfiguration(), Self.subrating), (Self.subrating, HostConfiguration())] {
            let linked = try Linked(own, peripheral: other)
            #expect(!linked.central.host.radioFeatures(of: linked.link).contains(.subrating))
            #expect(linked.central.host.requestSubrate(linked.link, ten, at: linked.bench.now) == false)
            linked.bench.run(.seconds(1))
            #expect(linked.events.central.isEmpty && linked.events.peripheral.isEmpty)
        }
    }

    @Test func anEndedLinkTakesNoRequests() throws {
        let linked = try Linked(Self.subrating)
        let (host, link) = (linked.central, linked.link)
        host.host.disconnect(link, at: linked.bench.now)
        let now = linked.bench.now
        #expect(host.host.radioFeatures(of: link) == [])
        #expect(host.host.readTransmitPower(link, at: now) == false)
        #expect(host.host.readRemoteTransmitPower(link, at: now) == false)
        #expect(host.host.reportTransmitPower(link, local: true, remote: true, at: now) == false)
        #expect(host.host.reportPathLoss(link, Self.zones, at: now) == false)
        #expect(host.host.requestSubrate(link, RequestedSubrate(factors: 2...2, timeout: 400), at: now) == false)
    }
}
