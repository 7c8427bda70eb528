import Foundation

/// The functions of libmosquitto, found in the library of the system when a program needs a broker. The build does not need the library.
struct MosquittoLibrary: @unchecked Sendable {
    // `@unchecked Sendable`: the members are addresses of functions of a library that stays loaded.

    typealias Client = OpaquePointer
    typealias Properties = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Pointer = UnsafeMutableRawPointer
    typealias OnConnect = @convention(c) (Client?, Pointer?, Int32, Int32, Properties?) -> Void
    typealias OnDisconnect = @convention(c) (Client?, Pointer?, Int32, Properties?) -> Void
    typealias OnPublish = @convention(c) (Client?, Pointer?, Int32, Int32, Properties?) -> Void
    typealias OnMessage = @convention(c) (Client?, Pointer?, UnsafeRawPointer?, Properties?) -> Void
    typealias OnSubscribe = @convention(c) (Client?, Pointer?, Int32, Int32, UnsafePointer<Int32>?) -> Void
    typealias OnLog = @convention(c) (Client?, Pointer?, Int32, Text?) -> Void
    typealias PassphraseCallback = @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, Pointer?) -> Int32

    /// The struct mosquitto_message.
    struct Message {
        var identifier: Int32
        var topic: UnsafePointer<CChar>?
        var payload: UnsafeRawPointer?
        var count: Int32
        var quality: Int32
        var isRetained: Bool
    }

    /// Values of enum mosq_err_t.
    enum Code {
        static let noConnection: Int32 = 4
        static let connectionRefused: Int32 = 5
        static let connectionLost: Int32 = 7
        static let tls: Int32 = 8
        static let system: Int32 = 14
        static let name: Int32 = 15

        /// Whether a call failed because of its message, so that the same call fails again: invalid parameters, the size of the payload,
        /// malformed UTF-8, a quality of service, a size or a retained message that the broker does not support. Any other code is about the
        /// connection.
        static func isRefusal(_ code: Int32) -> Bool { [3, 9, 18, 24, 25, 28].contains(code) }
    }

    /// Values of enum mosq_opt_t.
    enum Option {
        static let protocolVersion: Int32 = 1
        static let noDelay: Int32 = 11
        static let systemAuthorities: Int32 = 13
    }

    /// The identifiers of properties (MQTT 5.0, 2.2.2.2).
    enum Property {
        static let sessionExpiryInterval: Int32 = 17
        static let maximumPacketSize: Int32 = 39
    }

    let initialize: @convention(c) () -> Int32
    let new: @convention(c) (Text?, Bool, Pointer?) -> Client?
    let destroy: @convention(c) (Client?) -> Void
    let setOption: @convention(c) (Client?, Int32, Int32) -> Int32
    let setWill: @convention(c) (Client?, Text, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32
    let setUser: @convention(c) (Client?, Text?, Text?) -> Int32
    let setTLS: @convention(c) (Client?, Text?, Text?, Text?, Text?, PassphraseCallback?) -> Int32
    let setInFlightLimit: @convention(c) (Client?, UInt32) -> Int32
    let connect: @convention(c) (Client?, Text, Int32, Int32, Text?, Properties?) -> Int32
    let disconnect: @convention(c) (Client?) -> Int32
    let socket: @convention(c) (Client?) -> Int32
    let wantsWrite: @convention(c) (Client?) -> Bool
    let read: @convention(c) (Client?, Int32) -> Int32
    let write: @convention(c) (Client?, Int32) -> Int32
    let keepAlive: @convention(c) (Client?) -> Int32
    let publish:
        @convention(c) (
            Client?, UnsafeMutablePointer<Int32>?, Text, Int32, UnsafeRawPointer?, Int32, Bool, Properties?
        ) -> Int32
    let subscribe: @convention(c) (Client?, UnsafeMutablePointer<Int32>?, Text, Int32) -> Int32
    let unsubscribe: @convention(c) (Client?, UnsafeMutablePointer<Int32>?, Text) -> Int32
    let setOnConnect: @convention(c) (Client?, OnConnect?) -> Void
    let setOnDisconnect: @convention(c) (Client?, OnDisconnect?) -> Void
    let setOnPublish: @convention(c) (Client?, OnPublish?) -> Void
    let setOnMessage: @convention(c) (Client?, OnMessage?) -> Void
    let setOnSubscribe: @convention(c) (Client?, OnSubscribe?) -> Void
    let setOnLog: @convention(c) (Client?, OnLog?) -> Void
    let errorText: @convention(c) (Int32) -> Text?
    let refusalText: @convention(c) (Int32) -> Text?
    let reasonText: @convention(c) (Int32) -> Text?
    let addInteger: @convention(c) (UnsafeMutablePointer<Properties?>, Int32, UInt32) -> Int32
    let freeProperties: @convention(c) (UnsafeMutablePointer<Properties?>) -> Void

    static let names = ["libmosquitto.so.1"]

    /// Loads the library, once in a process. It stays loaded.
    static func load(_ names: [String] = names) throws(MQTTFailure) -> MosquittoLibrary {
        for name in names {
            if let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL),
                let library = MosquittoLibrary(symbol: { dlsym(handle, $0) }), library.initialize() == 0
            {
                return library
            }
        }
        throw MQTTFailure(
            "A connection to an MQTT broker needs the library libmosquitto, version 1.6 or later, which is not installed.",
            "Install it (Debian, Ubuntu: apt-get install libmosquitto1).")
    }

    /// - Parameter symbol: The address of a function of the library.
    init?(symbol: (String) -> UnsafeMutableRawPointer?) {
        guard let some = symbol("mosquitto_lib_init") else { return nil }
        var isComplete = true
        // The header of libmosquitto declares each function with the type of its member above.
        func find<Function>(_ name: String, as type: Function.Type = Function.self) -> Function {
            let address = symbol("mosquitto_" + name)
            if address == nil { isComplete = false }
            return unsafeBitCast(address ?? some, to: type)
        }
        initialize = find("lib_init")
        new = find("new")
        destroy = find("destroy")
        setOption = find("int_option")
        setWill = find("will_set")
        setUser = find("username_pw_set")
        setTLS = find("tls_set")
        setInFlightLimit = find("max_inflight_messages_set")
        connect = find("connect_bind_v5")
        disconnect = find("disconnect")
        socket = find("socket")
        wantsWrite = find("want_write")
        read = find("loop_read")
        write = find("loop_write")
        keepAlive = find("loop_misc")
        publish = find("publish_v5")
        subscribe = find("subscribe")
        unsubscribe = find("unsubscribe")
        setOnConnect = find("connect_v5_callback_set")
        setOnDisconnect = find("disconnect_v5_callback_set")
        setOnPublish = find("publish_v5_callback_set")
        setOnMessage = find("message_v5_callback_set")
        setOnSubscribe = find("subscribe_callback_set")
        setOnLog = find("log_callback_set")
        errorText = find("strerror")
        refusalText = find("connack_string")
        reasonText = find("reason_string")
        addInteger = find("property_add_int32")
        freeProperties = find("property_free_all")
        guard isComplete else { return nil }
    }
}
