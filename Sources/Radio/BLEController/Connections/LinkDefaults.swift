import BLEWire

/// What the host set for new links (Vol 4, Part E, 7.8.19, 7.8.35, 7.8.48, 7.8.115 and 7.8.123).
struct LinkDefaults {
    var suggestedLength = DataLength.Limits.minimum
    var phys: (tx: LL.PHYSet, rx: LL.PHYSet)
    var channelClassification = LL.ChannelMap.all
    /// The features that the host turned on.
    var hostFeatures: LL.FeatureSet = []
    /// The subrates that the host accepts as central.
    var subrate = SubrateLimits()
    /// What the host wants of trains that peers tell of; nil to ignore them (Vol 4, Part E, 7.8.92).
    var syncTransfer: PeriodicSync.Reception?

    /// - Parameter phys: The PHYs that the controller supports.
    init(phys: LL.PHYSet) { self.phys = (phys, phys) }
}
