import Foundation
import Glibc

@testable import TLSChannel

/// A client of TLS without a socket, from the same library of the system as the server's side, but with functions of its own.
package final class TLSClient {
    private typealias Pointer = OpaquePointer
    private let library: UnsafeMutableRawPointer
    private let context: OpaquePointer
    private let session: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    /// Whether the library is installed.
    package static var isPossible: Bool { OpenSSL.libraries.contains { dlopen($0, RTLD_NOW | RTLD_LOCAL) != nil } }

    private static func find<Function>(_ library: UnsafeMutableRawPointer, _ name: String, _: Function.Type) throws
        -> Function
    {
        guard let address = dlsym(library, name) else { throw TLSBenchError("OpenSSL has no \(name)") }
        return unsafeBitCast(address, to: Function.self)
    }

    private typealias Make = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias Get = @convention(c) () -> OpaquePointer?
    private typealias Control = @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    private typealias Act = @convention(c) (OpaquePointer?) -> Int32
    private typealias Move = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32

    private let act: (String) throws -> Act
    private let move: (String) throws -> Move

    /// - Parameter newest: The newest version that the client offers, such as 0x0303 for TLS 1.2.
    package init(newest: Int = 0x0304) throws {
        guard let library = OpenSSL.libraries.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw TLSBenchError("no OpenSSL")
        }
        self.library = library
        act = { try Self.find(library, $0, Act.self) }
        move = { try Self.find(library, $0, Move.self) }
        let make = { (name: String) in try Self.find(library, name, Make.self) }
        let get = { (name: String) in try Self.find(library, name, Get.self) }
        let control = try Self.find(library, "SSL_CTX_ctrl", Control.self)
        let memory = try get("BIO_s_mem")()
        guard let context = try make("SSL_CTX_new")(try get("TLS_client_method")()) else {
            throw TLSBenchError("no context")
        }
        // SSL_CTRL_SET_MIN_PROTO_VERSION with TLS 1.0, and SSL_CTRL_SET_MAX_PROTO_VERSION.
        _ = control(context, 123, 0x0301, nil)
        _ = control(context, 124, newest, nil)
        // Versions before TLS 1.2 need the lowest level of security.
        let setCiphers = try Self.find(
            library, "SSL_CTX_set_cipher_list", (@convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32).self)
        _ = setCiphers(context, "ALL:@SECLEVEL=0")
        guard let session = try make("SSL_new")(context), let incoming = try make("BIO_new")(memory),
            let outgoing = try make("BIO_new")(memory)
        else { throw TLSBenchError("no session") }
        (self.context, self.session, self.incoming, self.outgoing) = (context, session, incoming, outgoing)
        typealias SetBuffers = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
        try Self.find(library, "SSL_set_bio", SetBuffers.self)(session, incoming, outgoing)
        try Self.find(library, "SSL_set_connect_state", (@convention(c) (OpaquePointer?) -> Void).self)(session)
    }

    deinit {
        // A function that is not found leaves memory to the end of the tests.
        typealias Free = @convention(c) (OpaquePointer?) -> Void
        if let free = try? Self.find(library, "SSL_free", Free.self) { free(session) }
        if let free = try? Self.find(library, "SSL_CTX_free", Free.self) { free(context) }
    }

    /// The version of the session, such as 0x0304 for TLS 1.3.
    package var version: Int32 { get throws { try act("SSL_version")(session) } }

    /// Continues the handshake. Returns whether it is complete.
    package func handshake() throws -> Bool { try act("SSL_do_handshake")(session) == 1 }

    /// Whether the server has ended the session with its alert: SSL_RECEIVED_SHUTDOWN.
    package var isEndedByServer: Bool { get throws { try act("SSL_get_shutdown")(session) & 2 != 0 } }

    /// Sends the alert that ends the session.
    package func end() throws { _ = try act("SSL_shutdown")(session) }

    /// Asks for another handshake. Returns false if the session forbids it.
    package func renegotiate() throws -> Bool { try act("SSL_renegotiate")(session) == 1 }

    /// Whether the server gave a ticket with which another connection could begin.
    package var hasTicket: Bool {
        get throws {
            typealias Session = @convention(c) (OpaquePointer?) -> OpaquePointer?
            let present = try Self.find(library, "SSL_get_session", Session.self)(session)
            return try act("SSL_SESSION_has_ticket")(present) == 1
        }
    }

    /// Encrypts octets; `takeOutput` returns them.
    package func send(_ octets: [UInt8]) throws {
        var octets = octets
        let count = octets.count
        guard count > 0 else { return }
        guard try move("SSL_write")(session, &octets, Int32(count)) == count else { throw TLSBenchError("not sent") }
    }

    /// Takes octets of the server.
    package func receive(_ octets: [UInt8]) throws {
        var octets = octets
        let count = octets.count
        guard count > 0 else { return }
        guard try move("BIO_write")(incoming, &octets, Int32(count)) == count else {
            throw TLSBenchError("no memory")
        }
    }

    private func all(_ name: String, _ source: OpaquePointer) throws -> [UInt8] {
        let read = try move(name)
        var result: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 20_000)
        while true {
            let count = read(source, &part, Int32(part.count))
            guard count > 0 else { return result }
            result += part.prefix(Int(count))
        }
    }

    /// The decrypted octets until now.
    package func takePlain() throws -> [UInt8] { try all("SSL_read", session) }

    /// The octets for the server.
    package func takeOutput() throws -> [UInt8] { try all("BIO_read", outgoing) }

    // MARK: The server's context

    /// SSL_CTX_get_options of a server's context.
    package static func options(of context: TLSContext) throws -> UInt64 {
        guard let library = OpenSSL.libraries.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw TLSBenchError("no OpenSSL")
        }
        typealias Options = @convention(c) (OpaquePointer?) -> UInt64
        return try find(library, "SSL_CTX_get_options", Options.self)(context.pointer)
    }
}

package struct TLSBenchError: Error {
    package let text: String

    init(_ text: String) { self.text = text }
}
