import CommonCrypto

// The functions of CommonCryptor.h and CommonRandom.h, which have the documentation. Only public functions are visible outside a shared library.

/// Encrypts or decrypts data at once.
@c @implementation
public func CCCrypt(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    status { () throws(CryptorError) in
        let cryptor = try Cryptor(op, alg, options, key, keyLength, iv)
        let start = try cryptor.update(input(dataIn, dataInLength))
        try write(start + cryptor.final(), dataOut, dataOutAvailable, dataOutMoved)
    }
}

/// Makes a cryptor.
@c @implementation
public func CCCryptorCreate(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    create(cryptorRef) { () throws(CryptorError) in try Cryptor(op, alg, options, key, keyLength, iv) }
}

/// Makes a cryptor with a mode of its own.
@c @implementation
public func CCCryptorCreateWithMode(
    _ op: CCOperation, _ mode: CCMode, _ alg: CCAlgorithm, _ padding: CCPadding, _ iv: UnsafeRawPointer!,
    _ key: UnsafeRawPointer!, _ keyLength: Int, _ tweak: UnsafeRawPointer!, _ tweakLength: Int, _ numRounds: Int32,
    _ options: CCModeOptions, _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    create(cryptorRef) { () throws(CryptorError) in
        try Cryptor(op, mode, alg, pads: padding == ccPKCS7Padding, key: key, keyLength: keyLength, iv: iv)
    }
}

/// Adds data.
@c @implementation
public func CCCryptorUpdate(
    _ cryptorRef: CCCryptorRef!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    status { () throws(CryptorError) in
        let cryptor = try cryptor(cryptorRef)
        let data = try input(dataIn, dataInLength)
        // Before the cryptor changes, because a program repeats the call with a greater buffer.
        try checkRoom(cryptor.updateLength(data.count), dataOutAvailable, dataOutMoved)
        try write(cryptor.update(data), dataOut, dataOutAvailable, dataOutMoved)
    }
}

/// Writes the last block.
@c @implementation
public func CCCryptorFinal(
    _ cryptorRef: CCCryptorRef!, _ dataOut: UnsafeMutableRawPointer!, _ dataOutAvailable: Int,
    _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    status { () throws(CryptorError) in
        try write(cryptor(cryptorRef).final(), dataOut, dataOutAvailable, dataOutMoved)
    }
}

/// The greatest length of an output.
@c @implementation
public func CCCryptorGetOutputLength(_ cryptorRef: CCCryptorRef!, _ inputLength: Int, _ final: Bool) -> Int {
    guard let cryptor = try? cryptor(cryptorRef), inputLength >= 0 else { return 0 }
    return cryptor.outputLength(inputLength, isLast: final) ?? 0
}

/// Starts again.
@c @implementation
public func CCCryptorReset(_ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!) -> CCCryptorStatus {
    status { () throws(CryptorError) in try cryptor(cryptorRef).reset(iv: iv) }
}

/// Ends a cryptor.
@c @implementation
public func CCCryptorRelease(_ cryptorRef: CCCryptorRef!) -> CCCryptorStatus {
    if let cryptorRef { Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(cryptorRef)).release() }
    return CCCryptorStatus(kCCSuccess)
}

/// Writes random octets.
@c @implementation
public func CCRandomGenerateBytes(_ bytes: UnsafeMutableRawPointer!, _ count: Int) -> CCRNGStatus {
    guard count >= 0, bytes != nil || count == 0 else { return CCRNGStatus(kCCParamError) }
    // The generator of the system.
    var generator = SystemRandomNumberGenerator()
    let size = MemoryLayout<UInt64>.size
    for start in stride(from: 0, to: count, by: size) {
        withUnsafeBytes(of: generator.next()) { word in
            (bytes + start).copyMemory(from: word.baseAddress!, byteCount: min(size, count - start))
        }
    }
    return CCRNGStatus(kCCSuccess)
}

extension Cryptor {
    fileprivate convenience init(
        _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer?, _ keyLength: Int,
        _ iv: UnsafeRawPointer?
    ) throws(CryptorError) {
        let mode = options & CCOptions(kCCOptionECBMode) != 0 ? kCCModeECB : kCCModeCBC
        let pads = options & CCOptions(kCCOptionPKCS7Padding) != 0
        try self.init(op, CCMode(mode), alg, pads: pads, key: key, keyLength: keyLength, iv: iv)
    }
}

private func status(_ body: () throws(CryptorError) -> Void) -> CCCryptorStatus {
    do {
        try body()
        return CCCryptorStatus(kCCSuccess)
    } catch {
        return error.status
    }
}

private func create(
    _ result: UnsafeMutablePointer<CCCryptorRef?>?, _ make: () throws(CryptorError) -> Cryptor
) -> CCCryptorStatus {
    status { () throws(CryptorError) in
        guard let result else { throw CryptorError(kCCParamError) }
        result.pointee = CCCryptorRef(try Unmanaged.passRetained(make()).toOpaque())
    }
}

private func cryptor(_ reference: CCCryptorRef?) throws(CryptorError) -> Cryptor {
    guard let reference else { throw CryptorError(kCCParamError) }
    return Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(reference)).takeUnretainedValue()
}

private func input(_ data: UnsafeRawPointer?, _ count: Int) throws(CryptorError) -> UnsafeRawBufferPointer {
    guard count >= 0, data != nil || count == 0 else { throw CryptorError(kCCParamError) }
    return UnsafeRawBufferPointer(start: data, count: count)
}

private func checkRoom(_ needed: Int, _ available: Int, _ moved: UnsafeMutablePointer<Int>?) throws(CryptorError) {
    // A size_t of 2^63 or more is a negative number here, and room enough.
    guard needed > available, available >= 0 else { return }
    moved?.pointee = needed
    throw CryptorError(kCCBufferTooSmall)
}

private func write(
    _ output: [UInt8], _ target: UnsafeMutableRawPointer?, _ available: Int, _ moved: UnsafeMutablePointer<Int>?
) throws(CryptorError) {
    try checkRoom(output.count, available, moved)
    guard target != nil || output.isEmpty else { throw CryptorError(kCCParamError) }
    target?.copyMemory(from: output, byteCount: output.count)
    moved?.pointee = output.count
}
