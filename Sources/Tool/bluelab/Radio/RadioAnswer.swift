import BLEAdapter
import ArgumentParser
import BLEVirtualRadio
import BLETransport
import Foundation

/// A response on a radio's control socket.
struct RadioAnswer: Decodable {
    struct Device: Codable {
        var number: Int
        var name: String
        var address: String?
        /// The name of its platform; nil for none.
        var platform: String?
        var x: Double
        var y: Double
        var z: Double
        var loss: Double
        var advertising: Bool
        var scanning: Bool
        var connecting: Bool
        var links: Int
    }

    struct Wall: Codable {
        var wall: Int
        var x1: Double
        var y1: Double
        var x2: Double
        var y2: Double
        var decibels: Double
    }

    var ok: Bool
    var error: String?
    var devices: [Device]?
    var walls: [Wall]?
    var wall: Int?
    /// The number of an added beacon.
    var number: Int?
    var address: String?

    /// Sends a request to a radio. Ends the command with an error message if the radio refuses it.
    static func to(_ line: String, at option: RadioNameOption) async throws -> RadioAnswer {
        let text: String
        do throws(SharedRadioEndpoint.EndpointError) {
            text = try await RadioControlClient.ask(line, at: try option.endpoint())
        } catch {
            printError("bluelab radio: \(error)")
            throw ExitCode.failure
        }
        guard let answer = try? JSONDecoder().decode(RadioAnswer.self, from: Data(text.utf8)) else {
            printError(
                "bluelab radio: The radio's response cannot be decoded: restart the radio with this version of bluelab."
            )
            throw ExitCode.failure
        }
        guard answer.ok else {
            printError("bluelab radio: \(answer.error ?? "The radio refused the request.")")
            throw ExitCode.failure
        }
        return answer
    }
}
