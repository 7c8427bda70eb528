import BLEWire

/// The Bluetooth operations that the façade uses: GAP and GATT operations on peers, never HCI. `HostAdapter` implements
/// them over the library's own host. An adapter over a system daemon or a remote machine can conform as well.
///
/// Any thread may call a session's methods. They return at once, and the adapter's serial executor runs the calls in
/// the order of their arrival. The adapter calls observers on that executor, in order, and they must not block. A
/// method that returns a value takes a lock or runs synchronously; it never waits for the peer.
package protocol BluetoothAdapter: AnyObject, Sendable {
    /// Opens a session of the central role. The observer's first call is `adapterStateChanged`, some milliseconds after
    /// this method returns. The session holds the observer weakly. The release of the session ends its scan and
    /// connections.
    func openCentral(observer: any CentralObserver) -> any CentralSession

    /// Opens a session of the peripheral role, under the same rules.
    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession

    /// Opens a session for pairing and bonds. The session holds the observer weakly. Releasing it ends its agent.
    func openPairing(observer: any PairingObserver) -> any PairingSession

    /// Opens a session for periodic advertising. The observer's first call is `adapterStateChanged`, some milliseconds after this method returns. The
    /// session holds the observer weakly. Releasing it ends its train and its receptions.
    func openPeriodic(_ role: PeriodicRole, observer: any PeriodicObserver) -> any PeriodicSession

    /// The store for managers with a restore identifier; nil if nothing is stored.
    var restorationStore: (any RestorationStore)? { get }

    /// The identifiers of device addresses on this adapter; nil if the adapter does not know addresses.
    var peerIdentification: (any PeerIdentification)? { get }

    /// Changes the GAP device name (2A00). An adapter without its own name ignores the call.
    func rename(_ name: String)

    /// Calls `receive` once, on any thread, with the properties of the link to a peer of which this device is the central. Nil without
    /// a link, and from an adapter that does not know them.
    func describeLink(to peer: PeerIdentifier, _ receive: @escaping @Sendable (LinkDescription?) -> Void)

    /// Whether the adapter scans for extended advertising and connects to devices that use it. An adapter learns that from its controller: the
    /// answer is right once a session has had the state `.poweredOn`.
    var supportsExtendedAdvertising: Bool { get }

    var callbackRules: CallbackRules { get }

    /// Runs callbacks in step with this adapter's clock. Nil: callbacks go directly to their queues.
    var callbackScheduler: (any CallbackScheduling)? { get }
}

extension BluetoothAdapter {
    package var restorationStore: (any RestorationStore)? { nil }
    package var peerIdentification: (any PeerIdentification)? { nil }
    package var callbackScheduler: (any CallbackScheduling)? { nil }
    package var supportsExtendedAdvertising: Bool { false }
    package var callbackRules: CallbackRules { CallbackRules() }
    package func rename(_ name: String) {}
    package func describeLink(to peer: PeerIdentifier, _ receive: @escaping @Sendable (LinkDescription?) -> Void) {
        receive(nil)
    }
    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        UnsupportedPairing(observer: observer)
    }
    package func openPeriodic(_ role: PeriodicRole, observer: any PeriodicObserver) -> any PeriodicSession {
        UnsupportedPeriodic(observer: observer)
    }
}

/// What differs between versions of Apple's systems in the callbacks to programs.
package struct CallbackRules: Hashable, Sendable {
    /// Whether a new link takes values without response before `readyForWriteCommands`. False models iOS 11.0 and 11.1.
    package var connectsReadyToWrite = true
    /// Whether the delegate's disconnection method with a time stamp exists. False models iOS before 17.
    package var hasTimedDisconnections = true

    package init() {}
}
