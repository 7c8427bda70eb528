@preconcurrency import CoreBluetooth
import TestConditions
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamWrapperRealTimeTests {
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

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        var value: Int { lock.withLock { count } }
        func increment() { lock.withLock { count += 1 } }
    }

    /// Keeps peripherals: a connection ends with the last reference.
    private final class Kept: @unchecked Sendable {
        var all: [CBPeripheral] = []
        func append(_ peripheral: CBPeripheral) { all.append(peripheral) }
    }
    private let peripherals = Kept()

    @Test func theScanStopsWhenTheTaskIsCancelled() async {
        let wrapper = await wrapper()
        let count = Counter()
        let task = Task { for await _ in wrapper.scan() { count.increment() } }
        #expect(await eventually { wrapper.manager.isScanning && count.value > 1 })
        task.cancel()
        await task.value
        #expect(await eventually { !wrapper.manager.isScanning })
    }

    @Test func theScanContinuesForTheSecondListener() async {
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
        let count = Counter()
        let task = Task {
            for try await _ in wrapper.notifications(of: measurement) { count.increment() }
        }
        #expect(await eventually { band.isSubscribedTo && count.value > 0 })
        task.cancel()
        try await task.value
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
