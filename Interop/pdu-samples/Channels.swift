import BLEWire

/// One of each L2CAP signalling packet (Vol 3, Part A, 4) and ATT PDU (Vol 3, Part F, 3.4).
enum Channels {
    static func record(in recorder: inout Recorder) throws {
        // The link of the packets.
        try recorder.leEvent(HCI.LEConnectionComplete.self, "00 40 00 00 01 01 02 03 04 05 C6 18 00 00 00 C8 00 00")
        let reject = Recorder.octets("01 21 06 00 02 00 40 00 41 00")
        let signal = try L2CAP.SignalPacket(decoding: reject.span)
        let reason = try L2CAP.CommandReject(decoding: signal.data).reason
        try recorder.signal(
            "L2CAP.CommandReject", reject, sent: false,
            ["identifier": Int(signal.identifier), "reason": Int(reason.rawValue)])
        try recorder.signal(L2CAP.ConnectionParameterUpdateRequest.self, 2, "06 00 0C 00 03 00 C8 00", sent: false)
        try recorder.signal(L2CAP.ConnectionParameterUpdateResponse.self, 2, "01 00")
        try recorder.signal(L2CAP.CreditBasedConnectionRequest.self, 3, "80 00 40 00 F7 00 E7 00 0A 00")
        try recorder.signal(L2CAP.CreditBasedConnectionResponse.self, 3, "41 00 F6 00 E6 00 0B 00 00 00", sent: false)
        try recorder.signal(L2CAP.FlowControlCredit.self, 4, "40 00 05 00")
        try recorder.signal(L2CAP.DisconnectionRequest.self, 5, "41 00 40 00")
        try recorder.signal(L2CAP.DisconnectionResponse.self, 5, "41 00 40 00", sent: false)
        try recorder.signal(L2CAP.EnhancedConnectionRequest.self, 6, "27 00 40 00 F7 00 0A 00 42 00 43 00")
        try recorder.signal(
            L2CAP.EnhancedConnectionResponse.self, 6, "41 00 F6 00 0B 00 00 00 52 00 53 00", sent: false)
        try recorder.signal(L2CAP.EnhancedReconfigureRequest.self, 7, "80 00 F7 00 42 00")
        try recorder.signal(L2CAP.EnhancedReconfigureResponse.self, 7, "00 00", sent: false)
        try requests(in: &recorder)
        try views(in: &recorder)
    }

    private static func requests(in recorder: inout Recorder) throws {
        try recorder.att(ATT.ExchangeMTURequest.self, "F201", sent: true)
        try recorder.att(ATT.ExchangeMTUResponse.self, "1701", sent: false)
        try recorder.att(ATT.ErrorResponse.self, "0A 1000 0A", sent: false)
        try recorder.att(ATT.FindInformationRequest.self, "0200 FEFF", sent: true)
        try recorder.att(ATT.ReadByTypeRequest.self, "0100 FDFF 0228", sent: true)
        try recorder.att(ATT.ReadRequest.self, "0300", sent: true)
        try recorder.att(ATT.ReadBlobRequest.self, "0300 1600", sent: true)
        try recorder.att(ATT.ReadByGroupTypeRequest.self, "0100 FFFF 0028", sent: true)
        try recorder.att(ATT.ExecuteWriteRequest.self, "01", sent: true)
        try recorder.att(ATT.ExecuteWriteResponse.self, "", sent: false)
        try recorder.att(ATT.WriteResponse.self, "", sent: false)
        try recorder.att(ATT.HandleValueConfirmation.self, "", sent: false)
    }

    private static func hex(_ value: Span<UInt8>) -> String {
        Hexadecimal.digits([UInt8](value))
    }

    /// The PDUs that are views of the received octets.
    private static func views(in recorder: inout Recorder) throws {
        let packet1 = Recorder.octets("0300 0102")
        let write = try ATT.WriteRequest(decoding: packet1.span)
        try recorder.att(
            "ATT.WriteRequest", .writeRequest, packet1, sent: true,
            ["handle": Int(write.handle), "value": hex(write.value)])
        let command = try ATT.WriteCommand(decoding: packet1.span)
        try recorder.att(
            "ATT.WriteCommand", .writeCommand, packet1, sent: true,
            ["handle": Int(command.handle), "value": hex(command.value)])
        let packet2 = Recorder.octets("0300 AABB")
        let notification = try ATT.HandleValueNotification(decoding: packet2.span)
        try recorder.att(
            "ATT.HandleValueNotification", .handleValueNotification, packet2, sent: false,
            ["handle": Int(notification.handle), "value": hex(notification.value)])
        let indication = try ATT.HandleValueIndication(decoding: packet2.span)
        try recorder.att(
            "ATT.HandleValueIndication", .handleValueIndication, packet2, sent: false,
            ["handle": Int(indication.handle), "value": hex(indication.value)])
        let packet3 = Recorder.octets("0300 1200 0102")
        let prepare = try ATT.PrepareWriteRequest(decoding: packet3.span)
        try recorder.att(
            "ATT.PrepareWriteRequest", .prepareWriteRequest, packet3, sent: true,
            ["handle": Int(prepare.handle), "offset": Int(prepare.offset), "value": hex(prepare.value)])
        let prepared = try ATT.PrepareWriteResponse(decoding: packet3.span)
        try recorder.att(
            "ATT.PrepareWriteResponse", .prepareWriteResponse, packet3, sent: false,
            ["handle": Int(prepared.handle), "offset": Int(prepared.offset), "value": hex(prepared.value)])
        let packet4 = Recorder.octets("0300 0102 01000000 1122334455667788")
        let signed = try ATT.SignedWriteCommand(decoding: packet4.span)
        try recorder.att(
            "ATT.SignedWriteCommand", .signedWriteCommand, packet4, sent: true,
            ["handle": Int(signed.handle), "value": hex(signed.value)])
        // Decoding a response requires its request.
        try recorder.att(ATT.ReadRequest.self, "0500", sent: true)
        let packet5 = Recorder.octets("48656C6C6F")
        try recorder.att(
            "ATT.ReadResponse", .readResponse, packet5, sent: false,
            ["value": hex(try ATT.ReadResponse(decoding: packet5.span).value)])
        try recorder.att(ATT.ReadBlobRequest.self, "0500 0400", sent: true)
        let packet6 = Recorder.octets("6F70")
        try recorder.att(
            "ATT.ReadBlobResponse", .readBlobResponse, packet6, sent: false,
            ["value": hex(try ATT.ReadBlobResponse(decoding: packet6.span).value)])
        try recorder.att(ATT.FindInformationRequest.self, "0100 FFFF", sent: true)
        let packet7 = Recorder.octets("01 0100 0028 0200 0328")
        let information = try ATT.FindInformationResponse(decoding: packet7.span)
        try recorder.att(
            "ATT.FindInformationResponse", .findInformationResponse, packet7, sent: false,
            [
                "format": information.typeLength == 2 ? 1 : 2, "count": information.count,
                "value": hex(information.data),
            ])
        let packet8 = Recorder.octets("0100 FFFF 0028 E7FE")
        let find = try ATT.FindByTypeValueRequest(decoding: packet8.span)
        try recorder.att(
            "ATT.FindByTypeValueRequest", .findByTypeValueRequest, packet8, sent: true,
            [
                "range.start": Int(find.range.start), "range.end": Int(find.range.end), "type": Int(find.type),
                "value": hex(find.value),
            ])
        let packet9 = Recorder.octets("0100 0500 1000 FFFF")
        let found = try ATT.FindByTypeValueResponse(decoding: packet9.span)
        try recorder.att(
            "ATT.FindByTypeValueResponse", .findByTypeValueResponse, packet9, sent: false,
            ["count": found.count, "value": hex(found.data)])
        try recorder.att(ATT.ReadByTypeRequest.self, "0100 FFFF 0328", sent: true)
        let packet10 = Recorder.octets("07 0200 02 0300 002A 0400 02 0500 012A")
        let types = try ATT.ReadByTypeResponse(decoding: packet10.span)
        try recorder.att(
            "ATT.ReadByTypeResponse", .readByTypeResponse, packet10, sent: false,
            ["length": types.length, "count": types.count, "value": hex(types.data)])
        try recorder.att(ATT.ReadByGroupTypeRequest.self, "0100 FFFF 0028", sent: true)
        let packet11 = Recorder.octets("06 0100 0500 0018 0600 0900 0118")
        let groups = try ATT.ReadByGroupTypeResponse(decoding: packet11.span)
        try recorder.att(
            "ATT.ReadByGroupTypeResponse", .readByGroupTypeResponse, packet11, sent: false,
            ["length": groups.length, "count": groups.count, "value": hex(groups.data)])
        let packet12 = Recorder.octets("0300 0500")
        let several = try ATT.ReadMultipleRequest(decoding: packet12.span)
        try recorder.att(
            "ATT.ReadMultipleRequest", .readMultipleRequest, packet12, sent: true,
            ["count": several.count, "value": hex(several.octets)])
        let packet13 = Recorder.octets("0102")
        try recorder.att(
            "ATT.ReadMultipleResponse", .readMultipleResponse, packet13, sent: false,
            ["value": hex(try ATT.ReadMultipleResponse(decoding: packet13.span).value)])
        let packet14 = Recorder.octets("0300 0500")
        let variable = try ATT.ReadMultipleVariableRequest(decoding: packet14.span)
        try recorder.att(
            "ATT.ReadMultipleVariableRequest", .readMultipleVariableRequest, packet14, sent: true,
            ["count": variable.count, "value": hex(variable.octets)])
        let packet15 = Recorder.octets("0100 01 0200 0203")
        let answers = try ATT.ReadMultipleVariableResponse(decoding: packet15.span)
        try recorder.att(
            "ATT.ReadMultipleVariableResponse", .readMultipleVariableResponse, packet15, sent: false,
            ["value": hex(answers.value)])
        let packet16 = Recorder.octets("0300 0200 AABB 0500 0100 CC")
        let notifications = try ATT.MultipleHandleValueNotification(decoding: packet16.span)
        try recorder.att(
            "ATT.MultipleHandleValueNotification", .multipleHandleValueNotification, packet16, sent: false,
            ["value": hex(notifications.octets)])
    }
}
