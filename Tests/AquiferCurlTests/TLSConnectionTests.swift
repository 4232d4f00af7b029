#if os(Linux)
    import Aquifer
    import AquiferCurl
    import AquiferTesting
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct TLSConnectionTests {
        /// OpenSSL then holds it: nothing is to be seen at the socket.
        @Test(
            "An answer that came unasked in one record with the end of another one answers no request",
            .enabled(if: FileManager.default.isExecutableFile(atPath: openSSL), "it needs openssl"))
        func unaskedInOneRecord() async throws {
            // The certificate is told to curl by the environment.
            await #expect(processExitsWith: .success) {
                try await withTemporaryFolder { folder in
                    let server = try TLSServer(folder)
                    defer { server.stop() }
                    let client = CurlHTTPClient()
                    let urls = (server.url("/1"), server.url("/2"))
                    // At once: this thread may be the only one.
                    let first = Task.immediate { try await client.send(HTTPRequest(.get, urls.0)) }
                    server.waitFor("GET /1 ")
                    server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                    let head = try await first.value
                    server.send("firstHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nidle")
                    #expect(try await head.data(upTo: 100) == Data("first".utf8))
                    let second = Task.immediate {
                        try await client.send(HTTPRequest(.get, urls.1)).data(upTo: 100)
                    }
                    server.waitFor("GET /2 ")
                    server.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
                    #expect(try await second.value == Data("second".utf8))
                }
            }
        }

        /// The end of a stream does not end its connection, and nobody answers on one that a network has forgotten.
        @Test(
            "An HTTP/2 connection whose other side fell silent is not used again",
            .enabled(
                if: [openSSL, nginx].allSatisfy(FileManager.default.isExecutableFile), "it needs openssl and nginx"))
        func silentConnection() async throws {
            await #expect(processExitsWith: .success) {
                try await withTemporaryFolder { folder in
                    let silent = try LoopbackServer { connection in
                        _ = try connection.readRequest()
                        _ = connection.waitForClose()
                    }
                    let server = try ProxyServer(folder, before: silent.url())
                    defer { server.stop() }
                    let client = CurlHTTPClient()
                    let first = try await server.answer(by: client)
                    #expect(try await server.answer(by: client) == first)
                    let limits = HTTPRequest.Limits(idle: .milliseconds(300))
                    await #expect(throws: TransportError(.timedOut)) {
                        try await client.send(HTTPRequest(.get, server.url("/silent"), limits: limits))
                    }
                    #expect(try await server.answer(by: client) != first)
                }
            }
        }
    }

    private let openSSL = "/usr/bin/openssl"
    private let nginx = "/usr/sbin/nginx"

    /// Makes a certificate, and curl trust it.
    private func makeCertificate(_ folder: URL) throws -> (key: String, certificate: String) {
        let (key, certificate) = (folder.path + "/key.pem", folder.path + "/certificate.pem")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let make = Process()
        make.executableURL = URL(filePath: openSSL)
        make.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ]
        make.standardError = FileHandle.nullDevice
        try make.run()
        make.waitUntilExit()
        setenv("CURL_CA_BUNDLE", certificate, 1)
        return (key, certificate)
    }

    /// A port on which nothing was ever accepted: nginx could not listen where a connection still rests.
    private func freePort() -> Int? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    /// nginx, which speaks HTTP/2 and answers with the number of the connection.
    private final class ProxyServer {
        private let process = Process()
        private let port: Int

        init(_ folder: URL, before silent: URL) throws {
            let (key, certificate) = try makeCertificate(folder)
            port = try #require(freePort())
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder.path)/\($0);"
            }
            try Data(
                """
                daemon off; master_process off; pid \(folder.path)/pid; events {}
                http { access_log off; \(temporary.joined())
                server { listen 127.0.0.1:\(port) ssl http2; ssl_certificate \(certificate); ssl_certificate_key \(key);
                location / { return 200 $connection; } location /silent { proxy_pass \(silent.absoluteString); } } }
                """.utf8
            ).write(to: folder.appending(path: "nginx.conf"))
            process.executableURL = URL(filePath: nginx)
            process.arguments = ["-p", folder.path, "-c", folder.path + "/nginx.conf", "-e", folder.path + "/errors"]
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
        }

        func url(_ path: String) -> URL { URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(filePath: path) }

        /// The number of the connection, once the server listens.
        func answer(by client: CurlHTTPClient) async throws -> Data {
            while true {
                do throws(TransportError) {
                    return try await client.send(HTTPRequest(.get, url("/"))).data(upTo: 100)
                } catch {
                    guard error.kind == .cannotConnect, process.isRunning else { throw error }
                    await Task.yield()
                }
            }
        }

        func stop() {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// `openssl s_server`, which takes one connection after another: what is sent to it is a record, and what it receives is its output.
    private final class TLSServer {
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())
        private var port = ""

        init(_ folder: URL) throws {
            let (key, certificate) = try makeCertificate(folder)
            process.executableURL = URL(filePath: openSSL)
            process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key]
            (process.standardInput, process.standardOutput) = (input, output)
            process.standardError = FileHandle.nullDevice
            try process.run()
            port = waitFor("ACCEPT 127.0.0.1:", "\n")
        }

        func url(_ path: String) -> URL { URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(filePath: path) }

        func send(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

        /// Reads on until a text has come, and another one behind it: what is between the two.
        @discardableResult
        func waitFor(_ start: String, _ end: String = "\r\n\r\n") -> String {
            var text = ""
            while true {
                let rest = text.components(separatedBy: start).dropFirst().joined().components(separatedBy: end)
                if rest.count > 1 { return rest[0] }
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { return "" }
                text += String(decoding: bytes, as: UTF8.self)
            }
        }

        func stop() {
            // It may inherit that SIGTERM is blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
#endif
