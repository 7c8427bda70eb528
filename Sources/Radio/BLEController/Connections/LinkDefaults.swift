import BLEWire

/// What the host set for new links (Vol 4, Part E, 7.8.19, 7.8.35 and 7.8.48).
struct LinkDefaults {
    var suggestedLength = DataLength.Limits.minimum
    var phys: (tx: LL.PHYSet, rx: LL.PHYSet)
    var channelClassification = LL.ChannelMap.all

    /// - Parameter phys: The PHYs that the controller supports.
    init(phys: LL.PHYSet) { self.phys = (phys, phys) }
}
