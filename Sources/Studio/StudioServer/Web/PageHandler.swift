import Foundation
import LocalHTTP
import Phrases

/// Answers requests for the page's files and the files of the studio's parts, and opens the WebSocket.
struct PageHandler: Sendable {
    let guardian: RequestGuard
    let files: PageFiles
    let hub: StudioHub
    /// Called when a browser loads the page.
    let onLoad: @Sendable () -> Void

    /// The answer; nil for a file that a part has to make.
    func answer(to request: HTTPRequest, _ decision: RequestGuard.Decision) -> WebAnswer? {
        switch decision {
        case .refused(let status): return .response(refusal(status, of: request))
        case .socket: return socket(for: request, nil)
        case .unprovenSocket(let origin):
            return socket(for: request, ReconnectProof(key: guardian.key, origin: origin))
        case .page(let name):
            guard let file = files.file(named: name) else { return .response(response(.notFound)) }
            if name == "index.html" { onLoad() }
            var answer = response(.ok, to: request, type: file.type, file.content)
            if file.isCompressed { answer.headers.append(("Content-Encoding", "gzip")) }
            return .response(answer)
        case .file: return nil
        }
    }

    private func socket(for request: HTTPRequest, _ proof: ReconnectProof?) -> WebAnswer {
        guard let response = WebSocketHandshake.response(to: request) else {
            return .response(response(.upgradeRequired))
        }
        let again = guardian.provesItself(at: request.headers["origin"]) ? #","key":"\#(guardian.key.text)""# : ""
        let greeting = #"{"session":{"token":"\#(guardian.token.text)"\#(again)}}"#
        return .socket(response, PageAdmission(hub: hub, greeting: greeting, proof: proof))
    }

    /// A person who opens an old link reads why nothing is there. Other requests get no text.
    private func refusal(_ status: HTTPStatus, of request: HTTPRequest) -> HTTPResponse {
        guard status == .forbidden, request.headers["sec-fetch-mode"] == "navigate",
            request.headers["sec-fetch-dest"] == "document"
        else { return response(status) }
        let text = """
            This link is not valid. Open the link that bluelab studio printed last.
            此链接无效。请打开 bluelab studio 最近打印的链接。

            """
        return response(status, type: "text/plain; charset=utf-8", Data(text.utf8))
    }

    /// The answer to a request for a file of a part.
    func file(for request: HTTPRequest) async -> WebAnswer {
        guard case .file(let name) = guardian.check(request), let body = hub.file(name) else {
            return .response(response(.notFound))
        }
        do {
            let file = try await body(arguments(request.query))
            var answer = response(.ok, to: request, type: file.type.filter(Self.isTypeCharacter), file.content)
            answer.headers.append(("Content-Disposition", "attachment; filename=\"\(Self.fileName(file.name))\""))
            return .response(answer)
        } catch {
            let failure =
                error as? PhrasedError
                ?? .unexpected(error, in: name)
            let text = (try? JSONText(encoding: failure).text) ?? "{}"
            return .response(response(.failed, to: request, type: "application/json", Data(text.utf8)))
        }
    }

    private func response(
        _ status: HTTPStatus, to request: HTTPRequest? = nil, type: String? = nil, _ body: Data = Data()
    ) -> HTTPResponse {
        var headers = guardian.headers(host: request?.headers["host"])
        if let type { headers.append(("Content-Type", type)) }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    /// The values of `name=value&...`. Octets that are no UTF-8 are left out.
    private func arguments(_ query: String) -> [String: String] {
        var arguments: [String: String] = [:]
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].removingPercentEncoding else { continue }
            arguments[name] = parts.count > 1 ? parts[1].removingPercentEncoding ?? "" : ""
        }
        return arguments
    }

    /// A name without octets that the field of a response or a file system treats specially.
    private static func fileName(_ name: String) -> String {
        let kept = String(
            decoding: name.utf8.map { StudioHub.isFileNameOctet($0) ? $0 : UInt8(ascii: "_") }.prefix(100),
            as: UTF8.self)
        return kept.isEmpty || kept.first == "." ? "file\(kept)" : kept
    }

    private static func isTypeCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "/.+-; =".contains(character))
    }
}
