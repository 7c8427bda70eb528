import BLEAdapter
import BLEController
import Glibc
import TestConditions
import Testing

@testable import BLETransport
@testable import BLEVirtualRadio

/// A controller for the kernel of this machine.
@Suite struct KernelAdapterRealTimeTests {
    @Test func theKernelHasAControllerAndTellsTheNumberOfItsAdapter() throws {
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &numbers) == 0)
        let kernel = Descriptor(numbers[1])
        _ = fcntl(numbers[0], F_SETFL, O_NONBLOCK)
        let runtime = VirtualRadioRuntime(seed: 1, configuration: RadioConfiguration(), pace: .multiple(1))
        defer { runtime.close() }
        runtime.engine.start()
        let index = Lock<UInt16?>(nil)
        runtime.attachKernel(TransportConnection(packetDevice: numbers[0], name: "/dev/vhci"), at: .origin) { number in
            index.withLock { $0 = number }
        }
        // Two commands, with the driver's report between them: Reset, Read BD_ADDR.
        for packet in [[1, 0x03, 0x0C, 0], [0xFF, 0, 0x01, 0x02], [1, 0x09, 0x10, 0]] as [[UInt8]] {
            #expect(Sockets.write(kernel, packet.span) == packet.count)
        }
        var answer = [UInt8](repeating: 0, count: 64)
        #expect(recv(kernel.number, &answer, answer.count, 0) == 7)
        #expect(answer.prefix(7) == [4, 0x0E, 4, 1, 0x03, 0x0C, 0])
        #expect(recv(kernel.number, &answer, answer.count, 0) == 13)
        #expect(answer.prefix(7) == [4, 0x0E, 10, 1, 0x09, 0x10, 0] && answer[7..<13].contains { $0 != 0 })
        #expect(index.withLock { $0 } == 0x0201)
    }

    @Test(arguments: [ENOENT: "sudo modprobe hci_vhci", EACCES: "sudo", EBUSY: "sudo dmesg"])
    func aDriverThatCannotBeOpenedIsASentenceWithACommand(_ code: Int32, _ command: String) {
        #expect(KernelAdapter.failure("/dev/vhci", code).description.contains(command))
    }

    @Test func aMissingDriverIsAnError() {
        #expect(throws: TransportError.self) { try KernelAdapter.open("/nowhere") }
        #expect(KernelAdapter.index(in: [0xFF, 0, 3, 0].span) == 3)
        for packet in [[], [0xFF, 0, 3], [1, 0x03, 0x0C, 0]] as [[UInt8]] {
            #expect(KernelAdapter.index(in: packet.span) == nil)
        }
    }
}
