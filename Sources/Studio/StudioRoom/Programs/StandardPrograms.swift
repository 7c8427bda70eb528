extension RoomProgramKind {
    /// The programs of the room itself.
    package static let standard: [RoomProgramKind] = [
        .walkthrough, .wristband, .phone, .beacon, .advertiser, .lock, .lockWithKeys,
    ]
}
