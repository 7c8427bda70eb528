import BLEAdapter
import BLEWire
import ESPHomeAPI

/// GATT operations: requests of the client and their results.
extension GatewaySession {
    /// Whether an operation may start. Otherwise the client gets an error.
    mutating func accepts(_ address: UInt64, _ handle: UInt32) -> UInt16? {
        guard let link = links[address], case .up = link.state else {
            connection.send(
                GATTErrorResponse(address: address, handle: handle, error: GatewayError.notConnected))
            return nil
        }
        guard let handle = UInt16(exactly: handle), link.pending.count < Self.pendingLimit else {
            connection.send(GATTErrorResponse(address: address, handle: handle, error: GatewayError.noResources))
            return nil
        }
        return handle
    }

    mutating func submit(_ operation: GATTOperation, _ pending: Pending, _ address: UInt64) {
        guard let identifier = links[address]?.identifier else { return }
        links[address]?.pending.append(pending)
        commands.append(.submit(operation, identifier))
    }

    mutating func read(_ address: UInt64, _ handle: UInt32) {
        guard let handle = accepts(address, handle) else { return }
        submit(.read(handle: handle), .read(handle: handle), address)
    }

    mutating func write(_ request: GATTWriteRequest) {
        guard let handle = accepts(request.address, request.handle), let link = links[request.address] else { return }
        guard request.data.count <= Self.valueLimit else { return fail(request.address, handle, 0x0D) }
        if request.needsResponse {
            submit(.write(handle: handle, value: request.data), .write(handle: handle), request.address)
        } else {
            commands.append(.writeCommand(request.data, handle: handle, link.identifier))
        }
    }

    /// A client writes the configuration of a characteristic itself. The adapter has subscriptions instead, so such a write becomes one
    /// (Vol 3, Part G, 3.3.3.3).
    mutating func writeDescriptor(_ request: GATTWriteDescriptorRequest) {
        guard let handle = accepts(request.address, request.handle), let link = links[request.address] else { return }
        guard request.data.count <= Self.valueLimit else { return fail(request.address, handle, 0x0D) }
        if let configuration = link.configurations[handle] {
            configure(request.address, handle, configuration, request.data)
        } else if !link.otherDescriptors.contains(handle), request.data.count == 2,
            let valueHandle = link.notifying.filter({ $0 < handle }).max()
        {
            submit(
                .discoverDescriptors(after: valueHandle, end: handle),
                .lookUp(valueHandle: valueHandle, write: handle, value: request.data), request.address)
        } else {
            submit(.write(handle: handle, value: request.data), .write(handle: handle), request.address)
        }
    }

    mutating func configure(
        _ address: UInt64, _ handle: UInt16, _ configuration: (valueHandle: UInt16, end: UInt16), _ value: [UInt8]
    ) {
        guard value.count == 2, value[1] == 0, value[0] <= 3 else {
            return submit(.write(handle: handle, value: value), .write(handle: handle), address)
        }
        let mode: GATTOperation.NotifyMode =
            value[0] & 1 != 0 ? .notification : value[0] & 2 != 0 ? .indication : .off
        submit(
            .setNotify(valueHandle: configuration.valueHandle, end: configuration.end, mode: mode),
            .write(handle: handle), address)
    }

    mutating func notify(_ request: GATTNotifyRequest) {
        guard let handle = accepts(request.address, request.handle) else { return }
        if request.isEnabled {
            links[request.address]?.notifying.insert(handle)
        } else {
            links[request.address]?.notifying.remove(handle)
        }
        connection.send(GATTNotifyResponse(address: request.address, handle: UInt32(handle)))
    }

    mutating func getServices(_ request: GATTGetServicesRequest) {
        guard accepts(request.address, 0) != nil, links[request.address]?.wantsServices == false else { return }
        links[request.address]?.wantsServices = true
        links[request.address]?.discovery = TreeDiscovery()
        continueDiscovery(request.address)
    }

    mutating func continueDiscovery(_ address: UInt64) {
        guard let discovery = links[address]?.discovery else { return }
        if let operation = discovery.operation { return submit(operation, .discovery, address) }
        let short = connection.peerMinorVersion >= 12
        let responses = discovery.tree.services.map {
            GATTGetServicesResponse(address: address, services: [discovery.tree.record($0, short: short)])
        }
        // A service of more characteristics than one message holds would end the connection.
        guard responses.allSatisfy({ $0.encoded.count <= APIConnection.messageLimit }) else {
            links[address]?.discovery = nil
            links[address]?.wantsServices = false
            return fail(address, 0, GatewayError.noResources)
        }
        for (service, response) in zip(discovery.tree.services, responses) {
            connection.send(response)
            for characteristic in service.characteristics { learn(characteristic, address) }
        }
        connection.send(GATTGetServicesDoneResponse(address: address))
        links[address]?.wantsServices = false
        links[address]?.discovery = nil
    }

    mutating func learn(_ characteristic: ServiceTree.Characteristic, _ address: UInt64) {
        for descriptor in characteristic.descriptors {
            if descriptor.uuid == BluetoothUUID(0x2902 as UInt16) {
                links[address]?.configurations[descriptor.handle] = (
                    characteristic.found.valueHandle, characteristic.found.end
                )
            } else {
                links[address]?.otherDescriptors.insert(descriptor.handle)
            }
        }
    }

    /// - Parameter mtu: The ATT_MTU of the link in octets.
    package mutating func completed(
        _ peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>, mtu: Int
    ) {
        guard let address = addresses[peer], let link = links[address], let operation = link.pending.first else {
            return
        }
        links[address]?.pending.removeFirst()
        switch operation {
        case .opening:
            if case .opening = link.state { links[address]?.state = .up }
            connection.send(DeviceConnectionResponse(address: address, isConnected: true, mtu: UInt32(mtu)))
        case .read(let handle):
            switch result {
            case .success(.value(let value)):
                connection.send(GATTReadResponse(address: address, handle: UInt32(handle), data: value))
            case .success: fail(address, handle, GatewayError.failed)
            case .failure(let failure): fail(address, handle, GatewayError.code(failure))
            }
        case .write(let handle):
            if case .failure(let failure) = result { return fail(address, handle, GatewayError.code(failure)) }
            connection.send(GATTWriteResponse(address: address, handle: UInt32(handle)))
        case .discovery:
            if let failure = links[address]?.discovery?.take(result) {
                links[address]?.discovery = nil
                links[address]?.wantsServices = false
                return fail(address, 0, GatewayError.code(failure))
            }
            continueDiscovery(address)
        case .lookUp(let valueHandle, let handle, let value):
            guard case .success(.descriptors(let found)) = result else {
                if case .failure(let failure) = result { fail(address, handle, GatewayError.code(failure)) }
                return
            }
            let isConfiguration = found.contains { $0.handle == handle && $0.uuid == BluetoothUUID(0x2902 as UInt16) }
            if isConfiguration {
                links[address]?.configurations[handle] = (valueHandle, handle)
                configure(address, handle, (valueHandle, handle), value)
            } else {
                links[address]?.otherDescriptors.insert(handle)
                submit(.write(handle: handle, value: value), .write(handle: handle), address)
            }
        }
    }
}
