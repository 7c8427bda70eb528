import BLEAdapter
import BLESessions

/// Periodic sessions.
extension HostDriver {
    final class PeriodicEntry {
        let number: Int
        weak var observer: (any PeriodicObserver)?
        init(_ number: Int, _ observer: any PeriodicObserver) {
            self.number = number
            self.observer = observer
        }
    }

    func openPeriodic(_ number: Int, _ observer: any PeriodicObserver) {
        periodics.append(PeriodicEntry(number, observer))
        sessions.openPeriodic(number, at: now)
    }

    func closePeriodic(_ number: Int) {
        periodics.removeAll { $0.number == number }
        sessions.closePeriodic(number, at: now)
    }

    func periodic(_ session: Int) -> (any PeriodicObserver)? {
        periodics.first { $0.number == session }?.observer
    }

    /// Calls the observer of an event.
    func handle(_ notice: PeriodicNotice, _ output: borrowing SessionOutput) {
        switch notice {
        case .advertisingChanged(let failure, let isAdvertising, let session):
            periodic(session)?.periodicAdvertisingChanged(failure, isAdvertising: isAdvertising)
        case .established(let properties, let token, let session):
            periodic(session)?.syncEstablished(properties, token: token)
        case .transferred(let train, let properties, let token, let session):
            periodic(session)?.trainTransferred(train, properties, token: token)
        case .transferEnded(let failure, let token, let session):
            periodic(session)?.transferEnded(failure, token: token)
        case .ended(let failure, let token, let session): periodic(session)?.syncEnded(failure, token: token)
        case .report(let data, let properties, let token, let session):
            periodic(session)?.periodicReport(output.arena.octets.span.extracting(data), properties, token: token)
        case .subeventsRequested(let start, let count, let session):
            periodic(session)?.subeventsRequested(from: start, count: count)
        case .subeventDataRefused(let failure, let session): periodic(session)?.subeventDataRefused(failure)
        case .response(let data, let response, let session):
            periodic(session)?.subeventResponse(output.arena.octets.span.extracting(data), response)
        case .subeventsChosen(let failure, let token, let session):
            periodic(session)?.subeventsChosen(failure, token: token)
        case .responseRefused(let failure, let token, let session):
            periodic(session)?.responseRefused(failure, token: token)
        }
    }
}
