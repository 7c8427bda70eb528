/// The first message of a client.
package struct HelloRequest: APIMessage {
    package static let type = APIMessageType(1)
    package var clientInfo = ""
    package var majorVersion: UInt32 = 0
    package var minorVersion: UInt32 = 0

    package init() {}

    package init(clientInfo: String, majorVersion: UInt32 = 0, minorVersion: UInt32 = 0) {
        self.clientInfo = clientInfo
        self.majorVersion = majorVersion
        self.minorVersion = minorVersion
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.text(1, &clientInfo)
        fields.uint32(2, &majorVersion)
        fields.uint32(3, &minorVersion)
    }
}

package struct HelloResponse: APIMessage {
    package static let type = APIMessageType(2)
    package var majorVersion: UInt32 = 0
    package var minorVersion: UInt32 = 0
    package var serverInfo = ""
    package var name = ""

    package init() {}

    package init(majorVersion: UInt32, minorVersion: UInt32 = 0, serverInfo: String = "", name: String = "") {
        self.majorVersion = majorVersion
        self.minorVersion = minorVersion
        self.serverInfo = serverInfo
        self.name = name
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &majorVersion)
        fields.uint32(2, &minorVersion)
        fields.text(3, &serverInfo)
        fields.text(4, &name)
    }
}

/// The password of older clients. A gateway has no password: the key authenticates.
package struct AuthenticationRequest: APIMessage {
    package static let type = APIMessageType(3)
    package var password = ""

    package init() {}

    package init(password: String) {
        self.password = password
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.text(1, &password)
    }
}

package struct AuthenticationResponse: APIMessage {
    package static let type = APIMessageType(4)
    package var isPasswordInvalid = false

    package init() {}

    package init(isPasswordInvalid: Bool) {
        self.isPasswordInvalid = isPasswordInvalid
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.bool(1, &isPasswordInvalid)
    }
}

/// Either end asks to close. The other end answers, and both close.
package struct DisconnectRequest: APIMessage {
    package static let type = APIMessageType(5)
    package var reason: UInt32 = 0

    package init() {}

    package init(reason: UInt32) {
        self.reason = reason
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &reason)
    }
}

package typealias DisconnectResponse = EmptyMessage<6>
package typealias PingRequest = EmptyMessage<7>
package typealias PingResponse = EmptyMessage<8>
package typealias DeviceInfoRequest = EmptyMessage<9>

/// What the gateway is. Its Bluetooth features decide which requests a client sends.
package struct DeviceInfoResponse: APIMessage {
    package static let type = APIMessageType(10)
    package var name = ""
    /// As in "AC:BC:32:89:0E:A9".
    package var macAddress = ""
    package var version = ""
    package var compilationTime = ""
    package var model = ""
    package var projectName = ""
    package var projectVersion = ""
    package var legacyBluetoothProxyVersion: UInt32 = 0
    package var manufacturer = ""
    package var friendlyName = ""
    /// The bits of `BluetoothFeatures`.
    package var bluetoothFeatures: UInt32 = 0
    package var bluetoothMACAddress = ""

    package init() {}

    package init(
        name: String, macAddress: String = "", version: String = "", compilationTime: String = "", model: String = "",
        projectName: String = "", projectVersion: String = "", legacyBluetoothProxyVersion: UInt32 = 0,
        manufacturer: String = "", friendlyName: String = "", bluetoothFeatures: UInt32 = 0,
        bluetoothMACAddress: String = ""
    ) {
        self.name = name
        self.macAddress = macAddress
        self.version = version
        self.compilationTime = compilationTime
        self.model = model
        self.projectName = projectName
        self.projectVersion = projectVersion
        self.legacyBluetoothProxyVersion = legacyBluetoothProxyVersion
        self.manufacturer = manufacturer
        self.friendlyName = friendlyName
        self.bluetoothFeatures = bluetoothFeatures
        self.bluetoothMACAddress = bluetoothMACAddress
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.text(2, &name)
        fields.text(3, &macAddress)
        fields.text(4, &version)
        fields.text(5, &compilationTime)
        fields.text(6, &model)
        fields.text(8, &projectName)
        fields.text(9, &projectVersion)
        fields.uint32(11, &legacyBluetoothProxyVersion)
        fields.text(12, &manufacturer)
        fields.text(13, &friendlyName)
        fields.uint32(15, &bluetoothFeatures)
        fields.text(18, &bluetoothMACAddress)
    }
}

package typealias ListEntitiesRequest = EmptyMessage<11>
package typealias ListEntitiesDoneResponse = EmptyMessage<19>
package typealias SubscribeStatesRequest = EmptyMessage<20>

package struct SubscribeLogsRequest: APIMessage {
    package static let type = APIMessageType(28)
    package var level: UInt32 = 0

    package init() {}

    package init(level: UInt32) {
        self.level = level
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &level)
    }
}

package typealias SubscribeServicesRequest = EmptyMessage<34>
package typealias GetTimeRequest = EmptyMessage<36>
package typealias SubscribeHomeStatesRequest = EmptyMessage<38>
