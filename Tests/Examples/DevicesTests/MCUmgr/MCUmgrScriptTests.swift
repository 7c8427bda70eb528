import Devices
import Foundation
import TestConditions
import Testing

struct MCUmgrScriptTests {
    /// The octets in the script: each request, and the response that it expects.
    private func exchanges() throws -> [(request: [UInt8], response: [UInt8])] {
        let text = try String(contentsOf: projectRoot.appending(path: "Examples/Scripts/mcumgr.yaml"), encoding: .utf8)
        // A value is folded: its lines have a deeper indentation than its key.
        let octets = text.components(separatedBy: ">-\n").dropFirst().map { part in
            hex(part.split(separator: "\n").prefix { $0.hasPrefix("        ") }.joined(separator: " "))
        }
        try #require(octets.count.isMultiple(of: 2))
        return stride(from: 0, to: octets.count, by: 2).map { (octets[$0], octets[$0 + 1]) }
    }

    @Test func theScriptUpdatesANewDevice() throws {
        let factory = MCUbootImage.make(version: (1, 0, 0), program: Array("factory".utf8))
        var server = MCUmgrServer(ImageSlots(running: factory))
        var reassembly = SMPReassembly(limit: MCUmgrServer.bufferSize)
        let exchanges = try exchanges()
        #expect(exchanges.count == 7)
        for exchange in exchanges {
            for case .packet(let request) in reassembly.receive(exchange.request) {
                let response = server.answer(request)
                #expect(response?.octets == exchange.response)
            }
            if server.wantsReset { server.reset() }
        }
        #expect(server.slots.running?.version == "2.0.0")
        #expect(server.slots.isConfirmed)
    }
}
