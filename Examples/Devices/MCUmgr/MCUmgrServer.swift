import Crypto

/// The commands of a device with MCUmgr: a request goes in, and the response comes out. It does no I/O.
///
/// MCUmgr 的命令处理：echo、参数、映像列表、上传、测试、确认、复位。
package struct MCUmgrServer: Sendable {
    /// The reason why a command fails.
    package enum Refusal: UInt8, Error, Sendable {
        case unknown = 1
        case invalid = 3
        case badState = 6
        case tooLong = 7
        case notSupported = 8
        case tooNew = 13
    }

    /// A refusal by the group of images. The first version of the protocol has the plain code alone, to which Zephyr translates the other.
    private struct ImageRefusal: Error {
        let code: UInt8
        let plain: Refusal

        static let hashNotFound = ImageRefusal(code: 8, plain: .unknown)
        static let noFreeSlot = ImageRefusal(code: 9, plain: .badState)
        static let invalidLength = ImageRefusal(code: 21, plain: .invalid)
        static let invalidHeader = ImageRefusal(code: 22, plain: .invalid)
        static let invalidMagic = ImageRefusal(code: 23, plain: .unknown)
        static let invalidHash = ImageRefusal(code: 24, plain: .invalid)
        static let alreadyPending = ImageRefusal(code: 28, plain: .badState)
        static let tooLarge = ImageRefusal(code: 30, plain: .unknown)
        static let overrun = ImageRefusal(code: 31, plain: .unknown)
        static let testOfRunning = ImageRefusal(code: 33, plain: .unknown)
    }

    private struct Upload {
        let length: Int
        let hash: [UInt8]?
    }

    private static let systemGroup: UInt16 = 0
    private static let imageGroup: UInt16 = 1

    /// The octets of a packet with its header.
    package static let bufferSize = 2475
    /// The packets that a client may have under way. 客户端可以同时发出的请求数。
    package static let bufferCount = 4

    package private(set) var slots: ImageSlots
    private var upload: Upload?
    /// Whether a client has asked for a reset. The device carries it out after the response has left.
    package private(set) var wantsReset = false

    package init(_ slots: ImageSlots) { self.slots = slots }

    /// The device restarts: the bootloader runs, and an unfinished upload is forgotten.
    package mutating func reset() {
        slots.reset()
        (upload, wantsReset) = (nil, false)
    }

    /// Returns the response to a packet that does not fit into a buffer; nil if it is no request.
    package func refuseLength(of packet: SMPPacket) -> SMPPacket? {
        response(to: packet, .map(["rc": .unsigned(UInt64(Refusal.tooLong.rawValue))]))
    }

    /// Carries a request out. Returns nil if the packet is a response: two servers would otherwise answer each other without end.
    package mutating func answer(_ request: SMPPacket) -> SMPPacket? {
        let content: CBOR
        do {
            content = try result(request)
        } catch let refusal as ImageRefusal {
            let error: CBOR = .map([
                "group": .unsigned(UInt64(Self.imageGroup)), "rc": .unsigned(UInt64(refusal.code)),
            ])
            content = .map(
                request.version == 0 ? ["rc": .unsigned(UInt64(refusal.plain.rawValue))] : ["err": error])
        } catch {
            content = .map(["rc": .unsigned(UInt64(((error as? Refusal) ?? .invalid).rawValue))])
        }
        return response(to: request, content)
    }

    private func response(to request: SMPPacket, _ content: CBOR) -> SMPPacket? {
        let operation: SMPPacket.Operation
        switch request.operation {
        case .read: operation = .readResponse
        case .write: operation = .writeResponse
        case .readResponse, .writeResponse: return nil
        }
        return SMPPacket(
            version: min(request.version, 1), operation, group: request.group, command: request.command,
            sequence: request.sequence, content)
    }

    private mutating func result(_ request: SMPPacket) throws -> CBOR {
        guard request.version <= 1 else { throw Refusal.tooNew }
        let arguments = request.payload.isEmpty ? .map([:]) : try CBOR.decode(request.payload)
        switch (request.group, request.command, request.operation) {
        case (Self.systemGroup, 0, .write), (Self.systemGroup, 0, .read):
            guard let text = arguments["d"]?.string else { throw Refusal.invalid }
            return .map(["r": .text(text)])
        case (Self.systemGroup, 5, .write):
            wantsReset = true
            return .map([:])
        case (Self.systemGroup, 6, .read):
            return .map([
                "buf_size": .unsigned(UInt64(Self.bufferSize)), "buf_count": .unsigned(UInt64(Self.bufferCount)),
            ])
        case (Self.imageGroup, 0, .read): return images
        case (Self.imageGroup, 0, .write): return try setState(arguments)
        case (Self.imageGroup, 1, .write): return try upload(arguments)
        case (Self.imageGroup, 5, .write):
            guard !slots.needsSecondary else { throw ImageRefusal.noFreeSlot }
            slots.erase()
            upload = nil
            return .map([:])
        default: throw Refusal.notSupported
        }
    }

    // MARK: Images 映像

    private var images: CBOR {
        let isReverting = !slots.isConfirmed
        var list: [CBOR] = []
        if let image = slots.running {
            list.append(entry(0, image, ["active": true, "confirmed": slots.isConfirmed]))
        }
        // An upload that has not ended has no hash yet, so it is no image. 尚未传完的映像不会出现在列表里。
        if let image = slots.second {
            list.append(
                entry(
                    1, image,
                    [
                        "pending": slots.swap != nil, "permanent": slots.swap == .permanent,
                        "confirmed": isReverting && slots.swap == nil,
                    ]))
        }
        return .map(["images": .array(list), "splitStatus": .unsigned(0)])
    }

    private func entry(_ slot: UInt64, _ image: MCUbootImage, _ flags: [String: Bool]) -> CBOR {
        var entry: [String: CBOR] = [
            "image": .unsigned(0), "slot": .unsigned(slot), "version": .text(image.version), "hash": .bytes(image.hash),
            "bootable": .boolean(true),
        ]
        for flag in ["pending", "confirmed", "active", "permanent"] { entry[flag] = .boolean(flags[flag] ?? false) }
        return .map(entry)
    }

    /// Tests or confirms an image. Without a hash, confirms the one that runs.
    private mutating func setState(_ arguments: CBOR) throws -> CBOR {
        let (isPermanent, hash) = (arguments["confirm"]?.truth ?? false, arguments["hash"]?.octetString ?? [])
        guard hash.count == 32 || (hash.isEmpty && isPermanent) else { throw ImageRefusal.invalidHash }
        let isRunning = hash.isEmpty || hash == slots.running?.hash
        guard isRunning || hash == slots.second?.hash else { throw ImageRefusal.hashNotFound }
        guard isPermanent || !isRunning else { throw ImageRefusal.testOfRunning }
        switch slots.swap {
        // A request can be repeated, but not changed before the reset. 复位之前不能改变已有的请求。
        case .test?: guard !isPermanent else { throw ImageRefusal.alreadyPending }
        case .permanent?: guard isPermanent, !isRunning else { throw ImageRefusal.alreadyPending }
        case nil where isRunning: slots.confirm()
        case nil where slots.isConfirmed: slots.request(isPermanent ? .permanent : .test)
        // The predecessor of an image that is tested runs after the reset anyway. 测试期间，复位后本来就会回到前一个映像。
        case nil: guard isPermanent else { throw ImageRefusal.alreadyPending }
        }
        return images
    }

    private mutating func upload(_ arguments: CBOR) throws -> CBOR {
        guard let offset = arguments["off"]?.number, let data = arguments["data"]?.octetString else {
            throw Refusal.invalid
        }
        if offset == 0 {
            guard try isNewUpload(arguments, data) else { return progress }
            slots.erase()
        }
        // A chunk that was lost, or that comes again: the client continues from here. 偏移量不对：告诉客户端从哪里继续。
        guard let upload, offset == UInt64(slots.secondary.count) else { return progress }
        guard data.count <= upload.length - slots.secondary.count else { throw ImageRefusal.overrun }
        slots.write(data)
        guard slots.secondary.count == upload.length else { return progress }
        self.upload = nil
        let isEqual = upload.hash.map { $0 == Array(SHA256.hash(data: slots.secondary)) } ?? true
        return .map(["off": .unsigned(UInt64(upload.length)), "match": .boolean(isEqual)])
    }

    /// Where the client continues: at 0 without an upload.
    private var progress: CBOR { .map(["off": .unsigned(upload == nil ? 0 : UInt64(slots.secondary.count))]) }

    /// Checks the first chunk of an image. Returns false if an upload of the same image is in progress.
    private mutating func isNewUpload(_ arguments: CBOR, _ data: [UInt8]) throws -> Bool {
        guard data.count >= MCUbootImage.headerLength else { throw ImageRefusal.invalidHeader }
        guard let length = arguments["len"]?.number, length > 0 else { throw ImageRefusal.invalidLength }
        guard data.littleEndian(UInt32.self, at: 0) == MCUbootImage.magic else { throw ImageRefusal.invalidMagic }
        // An empty hash names no image. 空的哈希等于没有哈希。
        let hash = arguments["sha"]?.octetString.flatMap { $0.isEmpty ? nil : $0 }
        guard hash?.count ?? 0 <= 32 else { throw ImageRefusal.invalidHash }
        if let upload, hash != nil, upload.hash == hash, upload.length == Int(clamping: length) { return false }
        guard arguments["image"]?.number ?? 0 == 0, !slots.needsSecondary else { throw ImageRefusal.noFreeSlot }
        guard length <= UInt64(ImageSlots.size) else { throw ImageRefusal.tooLarge }
        upload = Upload(length: Int(length), hash: hash)
        return true
    }
}
