import BLEAdapter
import BLEHost
import BLEWire

extension HostCore {
    func startAdvertising(_ advertisement: Advertisement, session: Int) {
        let observer = peripheralObserver(session)
        guard state == .poweredOn, !isGoingDown else {
            observer?.advertisingStarted(.notPoweredOn)
            return
        }
        if let index = advertiser.wishes.firstIndex(where: { $0.session == session }) {
            // Answers keep the order of the calls.
            if advertiser.wishes[index].isNew {
                advertiser.wishes[index].refusals += 1
            } else {
                observer?.advertisingStarted(.alreadyAdvertising)
            }
            return
        }
        advertiser.wishes.append(.init(session: session, advertisement: advertisement))
        applyAdvertising()
    }

    func stopAdvertising(session: Int) {
        guard let index = advertiser.wishes.firstIndex(where: { $0.session == session }) else { return }
        let wish = advertiser.wishes.remove(at: index)
        if wish.isNew {
            // The controller's answer finds no wish any more. A start that the session itself takes back has not failed.
            let observer = peripheralObserver(session)
            observer?.advertisingStarted(nil)
            for _ in 0..<wish.refusals { observer?.advertisingStarted(.alreadyAdvertising) }
        }
        guard state == .poweredOn, !isGoingDown else { return }
        if advertiser.wishes.isEmpty { host.setAdvertising(nil, at: now) } else { applyAdvertising() }
    }

    /// Has the host advertise what the sessions want; after a power-up, too.
    func applyAdvertising() {
        guard let combined = advertiser.combined else { return }
        let (data, scanResponse) = combined.packed()
        host.setAdvertising(AdvertisingParameters(data: data, scanResponse: scanResponse), at: now)
    }

    func advertisingChanged(_ error: HCI.ErrorCode?) {
        let answered = advertiser.wishes.filter(\.isNew)
        if let error {
            log.warning("The controller refuses to advertise: error \(error.rawValue).")
            advertiser.wishes.removeAll(where: \.isNew)
        } else {
            for index in advertiser.wishes.indices {
                advertiser.wishes[index].isNew = false
                advertiser.wishes[index].refusals = 0
            }
        }
        let failure = error.map { AdvertisingFailure.controller($0.rawValue) }
        for wish in answered {
            let observer = peripheralObserver(wish.session)
            observer?.advertisingStarted(failure)
            // What the controller refused once is not asked of it again for the calls that waited.
            for _ in 0..<wish.refusals { observer?.advertisingStarted(failure ?? .alreadyAdvertising) }
        }
    }
}
