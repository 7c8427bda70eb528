import Glibc

/// libdbus-1, opened at run time: its functions without variable arguments. A message's values are read through its iterator, each of them.
struct LibDBus {
    typealias Pointer = UnsafeMutableRawPointer
    private typealias Open = @convention(c) (UnsafePointer<CChar>, Pointer?) -> Pointer?
    private typealias Register = @convention(c) (Pointer, Pointer?) -> UInt32
    private typealias NewCall =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>
        ) -> Pointer?
    private typealias Call = @convention(c) (Pointer, Pointer, Int32, Pointer?) -> Pointer?
    private typealias Release = @convention(c) (Pointer) -> Void
    private typealias Begin = @convention(c) (Pointer, Pointer) -> UInt32
    private typealias Kind = @convention(c) (Pointer) -> Int32
    private typealias Step = @convention(c) (Pointer) -> UInt32
    private typealias Recurse = @convention(c) (Pointer, Pointer) -> Void

    private let newCall: NewCall
    private let call: Call
    private let release: Release
    private let begin: Begin
    private let kind: Kind
    private let step: Step
    private let recurse: Recurse
    private let basic: Recurse
    private let connection: Pointer

    /// Nil if the library or the bus is not there.
    init?(_ address: String) {
        guard let library = dlopen("libdbus-1.so.3", RTLD_NOW) else { return nil }
        func function<F>(_ name: String, _ type: F.Type) -> F { unsafeBitCast(dlsym(library, name), to: type) }
        newCall = function("dbus_message_new_method_call", NewCall.self)
        call = function("dbus_connection_send_with_reply_and_block", Call.self)
        release = function("dbus_message_unref", Release.self)
        begin = function("dbus_message_iter_init", Begin.self)
        kind = function("dbus_message_iter_get_arg_type", Kind.self)
        step = function("dbus_message_iter_next", Step.self)
        recurse = function("dbus_message_iter_recurse", Recurse.self)
        basic = function("dbus_message_iter_get_basic", Recurse.self)
        guard let connection = function("dbus_connection_open_private", Open.self)(address, nil),
            function("dbus_bus_register", Register.self)(connection, nil) != 0
        else { return nil }
        self.connection = connection
    }

    /// Calls a method and reads the answer. Returns the number of its values; nil for an error.
    func values(_ destination: String, _ path: String, _ interface: String, _ member: String) -> Int? {
        guard let message = newCall(destination, path, interface, member) else { return nil }
        defer { release(message) }
        guard let reply = call(connection, message, -1, nil) else { return nil }
        defer { release(reply) }
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { memory in
            guard let iterator = memory.baseAddress, begin(reply, iterator) != 0 else { return 0 }
            return count(iterator)
        }
    }

    private func count(_ iterator: Pointer) -> Int {
        var count = 0
        while true {
            let code = kind(iterator)
            guard code != 0 else { return count }
            count += 1
            switch UInt8(truncatingIfNeeded: code) {
            case UInt8(ascii: "a"), UInt8(ascii: "r"), UInt8(ascii: "e"), UInt8(ascii: "v"):
                count += withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { memory in
                    recurse(iterator, memory.baseAddress!)
                    return self.count(memory.baseAddress!)
                }
            default:
                var value: UInt64 = 0
                withUnsafeMutableBytes(of: &value) { basic(iterator, $0.baseAddress!) }
                sink ^= value
            }
            _ = step(iterator)
        }
    }
}

/// Keeps the reading of values.
nonisolated(unsafe) private var sink: UInt64 = 0
