import Glibc

/// The functions of OpenSSL for both ends of a session, found in the library of the system when the program asks for TLS. The build needs no OpenSSL.
struct OpenSSL {
    typealias Context = OpaquePointer
    typealias Session = OpaquePointer
    typealias Buffer = OpaquePointer
    typealias Certificate = OpaquePointer
    typealias PassphraseCallback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32

    let serverMethod: @convention(c) () -> OpaquePointer?
    let clientMethod: @convention(c) () -> OpaquePointer?
    let newContext: @convention(c) (OpaquePointer?) -> Context?
    let freeContext: @convention(c) (Context?) -> Void
    let controlContext: @convention(c) (Context?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setOptions: @convention(c) (Context?, UInt64) -> UInt64
    let setPassphraseCallback: @convention(c) (Context?, PassphraseCallback?) -> Void
    let useCertificateChain: @convention(c) (Context?, UnsafePointer<CChar>) -> Int32
    let usePrivateKey: @convention(c) (Context?, UnsafePointer<CChar>, Int32) -> Int32
    let checkPrivateKey: @convention(c) (Context?) -> Int32
    let certificate: @convention(c) (Context?) -> Certificate?
    let checkHost: @convention(c) (Certificate?, UnsafePointer<CChar>, Int, UInt32, OpaquePointer?) -> Int32
    let checkAddress: @convention(c) (Certificate?, UnsafePointer<CChar>, UInt32) -> Int32
    let setVerification: @convention(c) (Context?, Int32, OpaquePointer?) -> Void
    let loadAuthorities: @convention(c) (Context?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
    let useSystemAuthorities: @convention(c) (Context?) -> Int32
    let newSession: @convention(c) (Context?) -> Session?
    let freeSession: @convention(c) (Session?) -> Void
    let setAcceptState: @convention(c) (Session?) -> Void
    let setConnectState: @convention(c) (Session?) -> Void
    let controlSession: @convention(c) (Session?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setHost: @convention(c) (Session?, UnsafePointer<CChar>) -> Int32
    let parameters: @convention(c) (Session?) -> OpaquePointer?
    let setHostFlags: @convention(c) (OpaquePointer?, UInt32) -> Void
    let setAddress: @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
    let verification: @convention(c) (Session?) -> Int
    let verificationText: @convention(c) (Int) -> UnsafePointer<CChar>?
    let setBuffers: @convention(c) (Session?, Buffer?, Buffer?) -> Void
    let handshake: @convention(c) (Session?) -> Int32
    let read: @convention(c) (Session?, UnsafeMutableRawPointer?, Int32) -> Int32
    let write: @convention(c) (Session?, UnsafeRawPointer?, Int32) -> Int32
    let shutdown: @convention(c) (Session?) -> Int32
    let errorKind: @convention(c) (Session?, Int32) -> Int32
    let memoryMethod: @convention(c) () -> OpaquePointer?
    let newBuffer: @convention(c) (OpaquePointer?) -> Buffer?
    let readBuffer: @convention(c) (Buffer?, UnsafeMutableRawPointer?, Int32) -> Int32
    let writeBuffer: @convention(c) (Buffer?, UnsafeRawPointer?, Int32) -> Int32
    let nextError: @convention(c) () -> UInt
    let clearErrors: @convention(c) () -> Void
    let errorText: @convention(c) (UInt, UnsafeMutablePointer<CChar>?, Int) -> Void

    /// The versions that have these functions, the newest first.
    static let libraries = ["libssl.so.3", "libssl.so.1.1"]

    /// Loads the library. It stays loaded.
    static func load(_ libraries: [String] = libraries) throws(TLSError) -> OpenSSL {
        for library in libraries {
            guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL) else { continue }
            guard let functions = OpenSSL(handle) else { continue }
            return functions
        }
        throw TLSError(
            "OpenSSL's library is not installed, which TLS needs.",
            tried: "Tried \(libraries.joined(separator: " and ")).",
            next: "Install it (Debian: apt-get install libssl3).")
    }

    private init?(_ library: UnsafeMutableRawPointer) {
        // The header of OpenSSL declares each function with the type of its member above.
        var isComplete = true
        func find<Function>(_ name: String, as type: Function.Type = Function.self) -> Function {
            let address = dlsym(library, name) ?? dlsym(library, "SSL_new")
            if dlsym(library, name) == nil { isComplete = false }
            return unsafeBitCast(address, to: type)
        }
        guard dlsym(library, "SSL_new") != nil else { return nil }
        serverMethod = find("TLS_server_method")
        clientMethod = find("TLS_client_method")
        newContext = find("SSL_CTX_new")
        freeContext = find("SSL_CTX_free")
        controlContext = find("SSL_CTX_ctrl")
        setOptions = find("SSL_CTX_set_options")
        setPassphraseCallback = find("SSL_CTX_set_default_passwd_cb")
        useCertificateChain = find("SSL_CTX_use_certificate_chain_file")
        usePrivateKey = find("SSL_CTX_use_PrivateKey_file")
        checkPrivateKey = find("SSL_CTX_check_private_key")
        certificate = find("SSL_CTX_get0_certificate")
        checkHost = find("X509_check_host")
        checkAddress = find("X509_check_ip_asc")
        setVerification = find("SSL_CTX_set_verify")
        loadAuthorities = find("SSL_CTX_load_verify_locations")
        useSystemAuthorities = find("SSL_CTX_set_default_verify_paths")
        newSession = find("SSL_new")
        freeSession = find("SSL_free")
        setAcceptState = find("SSL_set_accept_state")
        setConnectState = find("SSL_set_connect_state")
        controlSession = find("SSL_ctrl")
        setHost = find("SSL_set1_host")
        parameters = find("SSL_get0_param")
        setHostFlags = find("X509_VERIFY_PARAM_set_hostflags")
        setAddress = find("X509_VERIFY_PARAM_set1_ip_asc")
        verification = find("SSL_get_verify_result")
        verificationText = find("X509_verify_cert_error_string")
        setBuffers = find("SSL_set_bio")
        handshake = find("SSL_do_handshake")
        read = find("SSL_read")
        write = find("SSL_write")
        shutdown = find("SSL_shutdown")
        errorKind = find("SSL_get_error")
        memoryMethod = find("BIO_s_mem")
        newBuffer = find("BIO_new")
        readBuffer = find("BIO_read")
        writeBuffer = find("BIO_write")
        nextError = find("ERR_get_error")
        clearErrors = find("ERR_clear_error")
        errorText = find("ERR_error_string_n")
        guard isComplete else { return nil }
    }

    /// The text of the oldest error of this thread. Removes all errors.
    func takeError() -> String {
        let number = nextError()
        defer { clearErrors() }
        return text(of: number)
    }

    /// The text of an error; 0 is none.
    func text(of number: UInt) -> String {
        guard number != 0 else { return "no reason is given" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress else { return "" }
            errorText(number, start, text.count)
            return String(cString: start)
        }
    }
}

/// The reason why TLS is not possible: what happened, what was tried, and what to do next.
package struct TLSError: Error, Hashable, Sendable {
    package var sentence: String
    package var tried: String
    package var next: String

    init(_ sentence: String, tried: String, next: String) {
        self.sentence = sentence
        self.tried = tried
        self.next = next
    }
}
