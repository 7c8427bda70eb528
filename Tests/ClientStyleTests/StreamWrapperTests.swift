@preconcurrency import CoreBluetooth
import Testing

@Suite struct StreamWrapperTests {
    let band = Band()

    private func wrapper() async -> StreamWrapper {
        let wrapper = band.phone.run { StreamWrapper() }
        await wrapper.ready()
        return wrapper
    }

    private func connectedMeasurement(_ wrapper: StreamWrapper) async throws -> CBCharacteristic {
        for await discovery in wrapper.scan() where discovery.peripheral.name == "Wristband" {
            try await wrapper.connect(discovery.peripheral)
            peripherals.append(discovery.peripheral)
            return try #require(
                try await wrapper.discover(Band.heartRate, Band.measurement, of: discovery.peripheral))
        }
        throw CancellationError()
    }

    /// Kept: a connection ends with its last reference.
    private final class Kept: @unchecked Sendable {
        var all: [CBPeripheral] = []
        func append(_ peripheral: CBPeripheral) { all.append(peripheral) }
    }
    private let peripherals = Kept()

    @Test func theScanStopsWhenTheTaskIsCancelled() async {
        let wrapper = await wrapper()
        let task = Task {
            var count = 0
            for await _ in wrapper.scan() { count += 1 }
            return count
        }
        #expect(await eventually { wrapper.manager.isScanning })
        try? await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await task.value > 1)
        #expect(await eventually { !wrapper.manager.isScanning })
    }

    @Test func theScanGoesOnForTheSecondListener() async {
        let wrapper = await wrapper()
        let second = wrapper.scan()
        let first = Task { for await _ in wrapper.scan() {} }
        #expect(await eventually { wrapper.manager.isScanning })
        first.cancel()
        await first.value
        var iterator = second.makeAsyncIterator()
        for _ in 0..<20 { #expect(await iterator.next() != nil) }
        #expect(wrapper.manager.isScanning)
    }

    @Test func cancellingTheTaskEndsTheSubscriptionAtThePeer() async throws {
        band.watchSubscriptions()
        let wrapper = await wrapper()
        let measurement = try await connectedMeasurement(wrapper)
        let task = Task {
            var count = 0
            for try await _ in wrapper.notifications(of: measurement) { count += 1 }
            return count
        }
        #expect(await eventually { band.isSubscribedTo })
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(try await task.value > 0)
        #expect(await eventually { !band.isSubscribedTo })
        #expect(await eventually { !measurement.isNotifying })
    }

    @Test func aLostDeviceEndsTheStreamWithAnError() async throws {
        let wrapper = await wrapper()
        let measurement = try await connectedMeasurement(wrapper)
        await #expect(throws: CBError.self) {
            for try await _ in wrapper.notifications(of: measurement) { band.device.remove() }
        }
        #expect(peripherals.all.first?.state == .disconnected)
    }
}
