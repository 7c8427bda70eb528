import BLEAdapter
import BLEHost
import BLESessions
import BLEWire

/// The program's end of an L2CAP channel.
struct ChannelEndpoint {
    let identifier: ChannelIdentifier
    let handle: ChannelHandle
    /// SDUs taken from the handle that the host has not accepted yet.
    var queue = SDUQueue()
}

/// Submits the requests of a handle to the executor.
final class HostChannelDriver: ChannelDriver {
    private weak let adapter: HostAdapter?
    private let channel: ChannelIdentifier

    init(adapter: HostAdapter?, channel: ChannelIdentifier) {
        self.adapter = adapter
        self.channel = channel
    }

    func pump() { adapter?.submit { [channel] in $0.pumpChannel(channel) } }
    func consumed(_ count: Int) {
        adapter?.submit { [channel] in
            $0.sessions.host.consumed(count, onChannel: channel.number, of: channel.link, at: $0.now)
        }
    }
    func close() { adapter?.submit { [channel] in $0.sessions.closeChannel(channel, at: $0.now) } }
}

extension HostDriver {
    /// Handles the events of L2CAP channels and of their services.
    func handleChannel(_ event: SessionEvent, _ output: borrowing SessionOutput) {
        switch event {
        case .channelPublished(let result, let session): peripheral(session)?.channelPublished(result)
        case .channelUnpublished(let psm, let failure, let session):
            peripheral(session)?.channelUnpublished(psm: psm, failure)
        case .channelRefused(let failure, let psm, let peer, let session):
            central(session)?.channelOpened(.failure(failure), psm: psm, of: peer)
        case .channelOpened(let channel, let information, let peer, let session):
            guard let observer = central(session) else { return sessions.closeChannel(channel, at: now) }
            observer.channelOpened(
                .success(makeHandle(channel, information)), psm: information.psm, of: peer)
        case .channelAccepted(let channel, let information, let central, let session):
            guard let observer = peripheral(session) else { return sessions.closeChannel(channel, at: now) }
            observer.channelOpened(makeHandle(channel, information), by: central)
        case .channelReceived(let channel, let range):
            deliver(output.arena.octets.span.extracting(range), on: channel)
        case .channelWritable(let channel): pumpChannel(channel)
        case .channelClosing(let channel, let end): finishChannel(channel, end)
        case .channelClosed(let channel, let end):
            finishChannel(channel, end)
            channels.removeAll { $0.identifier == channel }
        default: break
        }
    }

    func makeHandle(_ channel: ChannelIdentifier, _ information: ChannelInformation) -> ChannelHandle {
        let handle = ChannelHandle(
            psm: information.psm, sendMTU: information.sendMTU, receiveWindow: information.receiveWindow,
            driver: HostChannelDriver(adapter: adapter, channel: channel))
        channels.append(ChannelEndpoint(identifier: channel, handle: handle))
        return handle
    }

    private func index(_ channel: ChannelIdentifier) -> Int? {
        for index in channels.indices where channels[index].identifier == channel { return index }
        return nil
    }

    func deliver(_ octets: Span<UInt8>, on channel: ChannelIdentifier) {
        if let index = index(channel) { channels[index].handle.deliver(octets) }
    }

    func finishChannel(_ channel: ChannelIdentifier, _ end: ChannelEnd) {
        if let index = index(channel) { channels[index].handle.finish(end) }
    }

    /// Moves written SDUs to the host until it accepts no more.
    func pumpChannel(_ channel: ChannelIdentifier) {
        // A channel that no program took has nothing to send, and may close.
        guard let index = index(channel) else { return sessions.channelFlushed(channel, at: now) }
        let now = self.now
        let handle = channels[index].handle
        var queue = SDUQueue()
        swap(&queue, &channels[index].queue)
        while true {
            handle.takeSDUs(into: &queue)
            var sent = 0
            while !queue.isEmpty, sessions.send(queue.first, on: channel, at: now) {
                sent += queue.firstLength
                queue.removeFirst()
            }
            if sent > 0 { handle.sent(sent) }
            if sent == 0 || !queue.isEmpty { break }
        }
        swap(&queue, &channels[index].queue)
        if !handle.hasUnsent { sessions.channelFlushed(channel, at: now) }
    }
}
