import BLEAdapter
import BLEWire
import CoreBluetooth
import Testing

/// Several values in one block of the delegate's queue.
@Suite struct ValueBlockTests {
    private let device: ValueTests.Device
    private var bench: CentralBench { device.bench }

    init() throws { device = try ValueTests.Device() }

    /// Sends values that the adapter passes on together.
    private func notify(_ values: [(octets: [UInt8], handle: UInt16)]) {
        bench.adapter.runInOneBlock {
            guard let observer = bench.session.observer else { return }
            var run = ValueRun()
            for value in values {
                run.append(value.octets.span, handle: value.handle, from: CentralBench.peer)
                if run.isFull { observer.received(&run) }
            }
            observer.received(&run)
        }
        bench.settle()
    }

    private func notify(_ numbers: Range<UInt8>) { notify(numbers.map { ([$0], 3) }) }

    /// Calls `body` in the callback of the value with this number.
    private func at(_ number: UInt8, _ body: @escaping () -> Void) {
        bench.recorder.onEvent { $0 = { event in if event == "value [\(number)]" { body() } } }
    }

    @Test func severalValuesKeepTheirOrder() {
        // More than one run has, short ones and long ones, of two characteristics.
        let values = (0..<100 as Range<UInt8>).map { number -> (octets: [UInt8], handle: UInt16) in
            ([UInt8](repeating: number, count: number % 7 == 0 ? 244 : Int(number % 5)), number % 3 == 0 ? 21 : 3)
        }
        notify(values)
        #expect(bench.newEvents() == values.map { "value \($0.octets)" })
        #expect(device.both.value.map { [UInt8]($0) } == values.last { $0.handle == 3 }?.octets)
        #expect(device.indicating.value.map { [UInt8]($0) } == values.last { $0.handle == 21 }?.octets)
    }

    @Test func aNewDelegateGetsTheNextValue() {
        let other = CentralRecorder()
        at(2) { device.peripheral.delegate = other }
        notify(0..<6)
        #expect(bench.newEvents() == ["value [0]", "value [1]", "value [2]"])
        #expect(other.events.value == ["value [3]", "value [4]", "value [5]"])
        bench.recorder.onEvent { $0 = nil }
    }

    @Test func withoutADelegateTheValueChanges() {
        at(2) { device.peripheral.delegate = nil }
        notify(0..<6)
        #expect(bench.newEvents().last == "value [2]")
        #expect(device.both.value == Data([5]))
        bench.recorder.onEvent { $0 = nil }
    }

    @Test func anInvalidatedCharacteristicGetsNoValueOfALaterBlock() {
        at(2) {
            bench.adapter.executor.sync {
                bench.session.observer?.servicesChanged(HandleRange(start: 1, end: 40), of: CentralBench.peer)
            }
        }
        notify(0..<3)
        bench.recorder.onEvent { $0 = nil }
        #expect(bench.newEvents() == ["value [0]", "value [1]", "value [2]", "modified [\"FEE7\"]"])
        notify(3..<5)
        #expect(bench.newEvents() == [] && device.both.value == Data([2]))
    }

    @Test func aReleasedManagerDeliversNoOtherValue() {
        weak let manager = bench.manager
        at(2) { bench.manager = nil }
        notify(0..<6)
        bench.recorder.onEvent { $0 = nil }
        #expect(bench.newEvents() == ["value [0]", "value [1]", "value [2]"])
        #expect(manager == nil && device.both.value == Data([2]))
    }

    /// Receives values until the program releases it, while it handles the third one.
    private final class Listener: NSObject, CBPeripheralDelegate, @unchecked Sendable {
        let calls: Locked<Int>
        let end: () -> Void

        init(_ calls: Locked<Int>, _ end: @escaping () -> Void) {
            self.calls = calls
            self.end = end
        }

        func peripheral(
            _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
        ) {
            calls { $0 += 1 }
            if calls.value == 3 { end() }
        }
    }

    @Test func aReleasedDelegateGetsNoOtherValue() {
        let calls = Locked(0)
        let kept = Locked<Listener?>(nil)
        kept { $0 = Listener(calls) { kept { $0 = nil } } }
        weak let listener = kept.value
        device.peripheral.delegate = listener
        notify(0..<10)
        #expect(calls.value == 3 && listener == nil)
        #expect(device.both.value == Data([9]))
    }
}

/// A peripheral that the program releases in the callback of a value.
@Suite struct ReleasedPeripheralTests {
    @Test func aReleasedPeripheralGetsNoOtherValue() throws {
        let bench = CentralBench()
        let calls = Locked(0)
        let kept = Locked<CBPeripheral?>(bench.connectedPeripheral())
        bench.recorder.peripherals { $0 = [] }
        kept.value?.discoverServices(nil)
        bench.answer(.success(.services([DiscoveredService(0xFEE7, 1, 40)])))
        let service = try #require(kept.value?.services?.first)
        kept.value?.discoverCharacteristics(nil, for: service)
        bench.answer(
            .success(.characteristics([DiscoveredCharacteristic(0xAA01, [.read, .notify], value: 3, end: 19)])))
        _ = bench.newCommands()
        bench.recorder.onEvent { onEvent in
            onEvent = { _ in
                calls { $0 += 1 }
                if calls.value == 3 { kept { $0 = nil } }
            }
        }
        weak let peripheral = kept.value
        bench.adapter.runInOneBlock {
            guard let observer = bench.session.observer else { return }
            var run = ValueRun()
            for number in 0..<10 as Range<UInt8> { run.append([number].span, handle: 3, from: CentralBench.peer) }
            observer.received(&run)
        }
        bench.settle()
        bench.recorder.onEvent { $0 = nil }
        #expect(calls.value == 3 && peripheral == nil)
        #expect(bench.newCommands() == [.cancel(CentralBench.peer)])
    }
}
