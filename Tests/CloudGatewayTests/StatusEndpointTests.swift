import LocalHTTP
import Testing

@testable import CloudGateway

@Suite struct StatusEndpointTests {
    private func response(_ method: String, _ path: String, isGood: Bool = true) -> HTTPResponse {
        StatusEndpoint.response(to: HTTPRequest(method: method, path: path)) { path in
            path == "/health" ? .init(isGood: isGood, type: "application/json", body: Array("{}".utf8)) : nil
        }
    }

    @Test func aPathIsAnswered() {
        for method in ["GET", "HEAD"] {
            let answer = response(method, "/health")
            #expect(answer.status == .ok)
            #expect(Array(answer.body) == Array("{}".utf8))
            #expect(answer.headers.contains { $0 == ("Content-Type", "application/json") })
        }
        #expect(response("GET", "/health", isGood: false).status == .unavailable)
    }

    @Test func otherRequestsAreRefused() {
        #expect(response("GET", "/").status == .notFound)
        #expect(response("POST", "/health").status == .methodNotAllowed)
    }
}

@Suite struct JSONBuilderTests {
    @Test func anObjectHasCommasBetweenItsMembers() {
        let octets = JSONBuilder.object { json in
            json.add("a", 1)
            json.add("b", true)
            json.addNull("c")
            json.add("d", hexadecimal: [0x0A, 0xFF])
            json.add(
                "e",
                list: { list in
                    list.addElement("x")
                    list.addElement(object: { _ in })
                    list.addElement(object: { $0.add("y", "z") })
                })
            json.add("f", object: { $0.add("g", -1) })
            json.add(members: Array(#""h":0"#.utf8))
        }
        #expect(
            String(decoding: octets, as: UTF8.self)
                == #"{"a":1,"b":true,"c":null,"d":"0aff","e":["x",{},{"y":"z"}],"f":{"g":-1},"h":0}"#)
    }

    @Test func controlCharactersAndQuotesAreEscaped() {
        let octets = JSONBuilder.object { $0.add("a", "\"\\\n\u{1}\u{7F}ä") }
        #expect(String(decoding: octets, as: UTF8.self) == #"{"a":"\"\\\u000a\u0001\u007fä"}"#)
    }
}
