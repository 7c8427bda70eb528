extension WorldProgramKind {
    /// The programs without a profile.
    package static let standard: [WorldProgramKind] = [
        .walkthrough, .wristband, .phone, .beacon, .advertiser, .lock, .lockWithKeys,
    ]
}
