import SystemBus

/// The names of bluetoothd's interfaces (doc/org.bluez.*.rst of BlueZ).
enum BlueZ {
    static let service = "org.bluez"
    /// The path of the objects that are not of an adapter.
    static let root = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    /// The bearers of a device, from 5.84 on. Their properties need `bluetoothd --experimental`.
    static let bearerLE = "org.bluez.Bearer.LE1"
    static let bearerClassic = "org.bluez.Bearer.BREDR1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let agent = "org.bluez.Agent1"
    static let agentManager = "org.bluez.AgentManager1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"

    /// The errors that bluetoothd answers with.
    enum Failure {
        static let failed = "org.bluez.Error.Failed"
        static let inProgress = "org.bluez.Error.InProgress"
        static let notReady = "org.bluez.Error.NotReady"
        static let notPermitted = "org.bluez.Error.NotPermitted"
        static let notAuthorized = "org.bluez.Error.NotAuthorized"
        static let notSupported = "org.bluez.Error.NotSupported"
        static let notConnected = "org.bluez.Error.NotConnected"
        static let notAvailable = "org.bluez.Error.NotAvailable"
        static let alreadyConnected = "org.bluez.Error.AlreadyConnected"
        static let alreadyExists = "org.bluez.Error.AlreadyExists"
        static let doesNotExist = "org.bluez.Error.DoesNotExist"
        static let invalidArguments = "org.bluez.Error.InvalidArguments"
        static let invalidLength = "org.bluez.Error.InvalidLength"
        static let invalidOffset = "org.bluez.Error.InvalidOffset"
        static let invalidValueLength = "org.bluez.Error.InvalidValueLength"
        static let rejected = "org.bluez.Error.Rejected"
        static let canceled = "org.bluez.Error.Canceled"
        static let authenticationCanceled = "org.bluez.Error.AuthenticationCanceled"
        static let authenticationFailed = "org.bluez.Error.AuthenticationFailed"
        static let authenticationRejected = "org.bluez.Error.AuthenticationRejected"
        static let authenticationTimeout = "org.bluez.Error.AuthenticationTimeout"
        static let connectionAttemptFailed = "org.bluez.Error.ConnectionAttemptFailed"
    }
}
