import Foundation
import LocalHTTP
import Phrases
import Testing

@testable import StudioServer

/// The answers to requests, without sockets.
@Suite struct PageHandlerTests {
    private let hub = StudioHub()
    private let token = StudioToken()
    private let key = StudioKey()
    private let loads = Counter()

    private func handler(isSecure: Bool = false, folder: URL? = nil) -> PageHandler {
        let scheme = isSecure ? "https" : "http"
        let guardian = RequestGuard(
            token: token, key: key, isSecure: isSecure, origin: "\(scheme)://127.0.0.1:8420"
        ) { ["127.0.0.1", "localhost"].contains($0) }
        return PageHandler(guardian: guardian, files: PageFiles(folder: folder), hub: hub) { [loads] in
            loads.increment()
        }
    }

    private func request(_ path: String, _ headers: [String: String] = [:], query: String = "") -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: path, query: query, headers: ["host": "127.0.0.1:8420"].merging(headers) { $1 })
    }

    private func answer(
        _ path: String, _ headers: [String: String] = [:], _ handler: PageHandler? = nil
    ) throws -> (status: HTTPStatus, fields: [String: String], body: Data) {
        let (handler, request) = (handler ?? self.handler(), request("/\(token.text)/\(path)", headers))
        guard case .response(let response)? = handler.answer(to: request, handler.guardian.check(request)) else {
            throw TestError("no response")
        }
        return (response.status, Self.fields(response), response.body)
    }

    private static func fields(_ response: HTTPResponse) -> [String: String] {
        Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    }

    // MARK: Files of the page

    @Test func theBuiltInFilesHaveTheirTypes() throws {
        for (name, type) in [
            ("", "text/html; charset=utf-8"), ("index.html", "text/html; charset=utf-8"),
            ("app.js", "text/javascript; charset=utf-8"), ("style.css", "text/css; charset=utf-8"),
            ("icon.svg", "image/svg+xml"),
        ] {
            let found = try answer(name)
            #expect(found.status == .ok && found.fields["content-type"] == type, "\(name)")
            // The gzip form (RFC 1952, 2.3.1).
            #expect(
                found.fields["content-encoding"] == "gzip" && found.body.prefix(3) == Data([0x1F, 0x8B, 8]), "\(name)")
        }
        for name in ["nothing.js", "app.txt", "app", "../app.js", "parts/..js", "js", ".", "app.js.", "html"] {
            let found = try answer(name)
            #expect(found.status == .notFound && found.fields["content-type"] == nil && found.body.isEmpty, "\(name)")
        }
    }

    @Test func onlyThePageItselfCountsAsALoad() throws {
        _ = try answer("app.js")
        _ = try answer("nothing.html")
        #expect(loads.value == 0)
        _ = try answer("")
        _ = try answer("index.html")
        #expect(loads.value == 2)
    }

    @Test func aFolderReplacesTheBuiltInFiles() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory() + "studio-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("x".utf8).write(to: folder.appendingPathComponent("own.js"))
        let handler = handler(folder: folder)
        let own = try answer("own.js", [:], handler)
        #expect(own.status == .ok && own.body == Data("x".utf8) && own.fields["content-encoding"] == nil)
        #expect(try answer("app.js", [:], handler).status == .notFound)
        #expect(try answer("../own.js", [:], handler).status == .notFound)
    }

    // MARK: Refusals

    /// A person who opens an old link in a browser reads why there is nothing; nobody else gets a text.
    @Test(
        arguments: [
            ("navigate", "document", true), ("navigate", "iframe", false), ("cors", "document", false),
            (nil, nil, false),
        ]
            as [(String?, String?, Bool)])
    func onlyAPersonGetsAText(mode: String?, destination: String?, hasText: Bool) throws {
        var headers: [String: String] = [:]
        headers["sec-fetch-mode"] = mode
        headers["sec-fetch-dest"] = destination
        let handler = handler()
        for (path, method, isForbidden) in [("/0123/", "GET", true), ("/\(token.text)/", "POST", false)] {
            var request = request(path, headers)
            request.method = method
            guard case .response(let response)? = handler.answer(to: request, handler.guardian.check(request)) else {
                throw TestError("no response")
            }
            #expect(response.status == (isForbidden ? .forbidden : .methodNotAllowed))
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(text.hasPrefix("This link is not valid.") == (hasText && isForbidden))
            #expect(
                Self.fields(response)["content-type"] == (hasText && isForbidden ? "text/plain; charset=utf-8" : nil))
            #expect(Self.fields(response)["cache-control"] == "no-store")
        }
    }

    // MARK: The WebSocket

    private let upgrade = [
        "origin": "http://127.0.0.1:8420", "connection": "Upgrade", "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]

    private func opened(_ request: HTTPRequest, _ handler: PageHandler) -> PageAdmission? {
        guard case .socket(let response, let admission)? = handler.answer(to: request, handler.guardian.check(request)),
            response.status == .switchingProtocols
        else { return nil }
        return admission
    }

    /// The greeting has the key only where a proof with it would count: without TLS at the server's own address.
    @Test func theGreetingHasTheKeyWhereItServes() throws {
        let own = try #require(opened(request("/\(token.text)/socket", upgrade), handler()))
        #expect(own.greeting == #"{"session":{"token":"\#(token.text)","key":"\#(key.text)"}}"# && own.proof == nil)
        let elsewhere = upgrade.merging(["origin": "http://localhost:8420", "host": "localhost:8420"]) { $1 }
        let other = try #require(opened(request("/\(token.text)/socket", elsewhere), handler()))
        #expect(other.greeting == #"{"session":{"token":"\#(token.text)"}}"#)
        let secure = elsewhere.merging(["origin": "https://localhost:8420"]) { $1 }
        let encrypted = try #require(opened(request("/\(token.text)/socket", secure), handler(isSecure: true)))
        #expect(encrypted.greeting == own.greeting)
    }

    @Test func aPageThatConnectsAgainHasToProveItself() throws {
        let admission = try #require(opened(request("/again", upgrade), handler()))
        var proof = try #require(admission.proof)
        let nonce = String(repeating: "0f", count: 32)
        let outcome = proof.receive(#"{"again":{"nonce":"\#(nonce)"}}"#)
        guard case .answer(let text) = outcome else { throw TestError("no answer") }
        let fields = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        let serverNonce = try #require(fields["nonce"])
        // The origin of the page is in the proof.
        #expect(
            fields["proof"]
                == key.proof(of: .server, origin: "http://127.0.0.1:8420", pageNonce: nonce, serverNonce: serverNonce))
    }

    @Test func aRequestWithoutTheHandshakeIsAskedForIt() throws {
        #expect(try answer("socket", ["origin": "http://127.0.0.1:8420"]).status == .upgradeRequired)
        var headers = upgrade
        headers["sec-websocket-version"] = "12"
        #expect(try answer("socket", headers).status == .upgradeRequired)
    }

    // MARK: Files of parts

    private func file(_ name: String, query: String = "") async throws -> (
        status: HTTPStatus, fields: [String: String], body: Data
    ) {
        let request = request("/\(token.text)/files/\(name)", query: query)
        let handler = handler()
        #expect(handler.answer(to: request, handler.guardian.check(request)) == nil)
        guard case .response(let response) = await handler.file(for: request) else { throw TestError("no response") }
        return (response.status, Self.fields(response), response.body)
    }

    @Test(
        arguments: [
            ("", [:]), ("a=1", ["a": "1"]), ("a=1&b=2", ["a": "1", "b": "2"]), ("a", ["a": ""]), ("a=", ["a": ""]),
            ("a=1&a=2", ["a": "2"]), ("a=b=c", ["a": "b=c"]), ("&&a=1&", ["a": "1"]), ("%61=%26%3D", ["a": "&="]),
            ("a=%C3%BC", ["a": "ü"]), ("a=%FF", ["a": ""]), ("%FF=1&b=2", ["b": "2"]), ("a=1+2", ["a": "1+2"]),
            ("=1", ["": "1"]),
        ] as [(String, [String: String])])
    func theQueryHasTheArguments(query: String, arguments: [String: String]) async throws {
        hub.addFile("echo.json") { (found: [String: String]) in
            StudioFile(name: "echo.json", type: "application/json", content: try JSONEncoder().encode(found))
        }
        let answer = try await file("echo.json", query: query)
        #expect(try JSONDecoder().decode([String: String].self, from: answer.body) == arguments)
        #expect(answer.status == .ok && answer.fields["content-type"] == "application/json")
        #expect(answer.fields["content-disposition"] == "attachment; filename=\"echo.json\"")
        #expect(answer.fields["content-encoding"] == nil)
    }

    @Test(arguments: [
        ("a.txt", "a.txt"), ("", "file"), (".hidden", "file.hidden"), ("a b/c\\d\"e", "a_b_c_d_e"), ("ü", "__"),
        (String(repeating: "x", count: 101), String(repeating: "x", count: 100)),
        (String(repeating: "x", count: 100), String(repeating: "x", count: 100)), ("..", "file.."), ("\r\n", "__"),
    ])
    func theNameOfASavedFileIsHarmless(name: String, saved: String) async throws {
        hub.addFile("any") { StudioFile(name: name, type: "text/x-\"ü\"; a=1\r\n", content: Data([1, 2])) }
        let answer = try await file("any")
        #expect(answer.fields["content-disposition"] == "attachment; filename=\"\(saved)\"")
        #expect(answer.fields["content-type"] == "text/x-; a=1" && answer.body == Data([1, 2]))
    }

    @Test func aFileThatCannotBeMadeHasAReason() async throws {
        struct StubError: Error, CustomStringConvertible { var description: String { "odd" } }
        hub.addFile("refused") { throw PhrasedError("empty", Phrase(data: "There are no packets.")) }
        hub.addFile("failed") { throw StubError() }
        for (name, code, words) in [
            ("refused", "empty", "There are no packets."), ("failed", "failed", "failed failed: odd"),
        ] {
            let answer = try await file(name)
            #expect(answer.status == .failed && answer.fields["content-type"] == "application/json")
            #expect(answer.fields["content-disposition"] == nil)
            let failure = try JSONDecoder().decode(PhrasedError.self, from: answer.body)
            #expect(failure.code == code && failure.description == words)
        }
        #expect(try await file("nothing").status == .notFound)
        // Another path than that of a file has none.
        let handler = handler()
        guard case .response(let response) = await handler.file(for: request("/\(token.text)/app.js")) else {
            throw TestError("no response")
        }
        #expect(response.status == .notFound)
    }
}
