import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation
import HTTPServer

/// The uploads and downloads of files for the drive's screens.
struct DriveAPI: Sendable {
    let hub: ScreenHub
    let services: Services
    let relays: Relays

    /// The path to which pages upload files. These may be larger than other bodies.
    static let filePath = "/api/screens/drive-account/file"

    /// The path from which a page loads a file of an account.
    static func link(to name: String, in account: PublicKey) -> String {
        "/api/screens/drive-account/files/\(FileLocation.encode(name))?account=\(account)"
    }

    private static let noSuchFile = ServerResponse.problem(404, "notFound", "there is no such file")
    private static let foreign = ServerResponse.problem(404, "notFound", "you have no such account")

    func add(to router: inout Router) {
        router.on("POST", Self.filePath) { request, _ in await take(request) }
        router.on("GET", "/api/screens/drive-account/files/*name") { request, parameters in
            await download(request, parameters["name"]?.removingPercentEncoding ?? "")
        }
    }

    /// Stores a file that the page uploads under its own name, and gives it to the tab's screen.
    private func take(_ request: ServerRequest) async -> ServerResponse {
        guard let tab = request.queryValue("tab").flatMap(ScreenAPI.tab), let account = request.queryValue("account"),
            let name = request.queryValue("name"), let batch = request.queryValue("batch")
        else { return .problem(404, "notFound", "name the tab, the account, the batch and the file") }
        guard await services.mayShow(account, hub.drive.service) else { return Self.foreign }
        let file: URL
        do throws(UploadRefusal) {
            file = try await services.uploads.take(
                request.body, limit: ShadowDriveLimits.fileBytes, named: name, announced: request.announcedLength)
        } catch {
            return .problem(error.status, error.kind, error.message)
        }
        return await give(file, batch, to: account, tab)
    }

    @MainActor
    private func give(_ file: URL, _ batch: String, to account: String, _ tab: String) -> ServerResponse {
        guard let screen = hub.screen(DriveAccountScreen.self, tab: tab, showing: account),
            screen.take(file, batch: batch)
        else {
            services.uploads.remove(file)
            return .problem(409, "busy", "this account takes no files now")
        }
        return .empty()
    }

    /// The content of a small file, which the page shows: a picture under its own type, and everything else as bytes. With `saved` the
    /// answer is the saved copy, or empty, and nothing is asked for.
    private func preview(_ request: ServerRequest, _ location: FileLocation) async -> ServerResponse {
        guard let url = location.url else { return Self.noSuchFile }
        let language = Language.best(for: request.queryValue("lang") ?? "en")
        let content = services.content(of: url)
        do throws(LoadError) {
            if request.queryValue("saved") != nil {
                // A copy that cannot be read is none: the page asks for the file when it is opened.
                guard let saved = try? await content.saved() else { return .empty() }
                return shown(saved, language)
            }
            return shown(try await content.load(), language)
        } catch {
            return .failure(error, language: language)
        }
    }

    private func shown(_ loaded: Loaded<Data>, _ language: Language) -> ServerResponse {
        var response = ServerResponse(body: .bytes(loaded.value))
        // A header has no letters beyond ASCII.
        if let notice = loaded.source.notice(in: language, now: services.configuration.now()) {
            response.headers["Aquifer-Notice"] = FileLocation.encode(notice)
        }
        return response.relayed(PictureCheck.mediaType(of: loaded.value), as: .picture)
    }

    /// A file of an account, streamed as it arrives.
    private func download(_ request: ServerRequest, _ name: String) async -> ServerResponse {
        // A text that is not an address names no account.
        guard !name.isEmpty, let account = request.queryValue("account").flatMap({ try? PublicKey($0) })
        else { return .problem(404, "notFound", "name the account and the file") }
        let drive = await hub.drive.service
        guard await services.mayShow("\(account)", drive) else { return Self.foreign }
        if request.queryValue("preview") != nil {
            // A name that no address can have names no file.
            guard let location = try? drive.api.location(of: name, in: account) else { return Self.noSuchFile }
            return await preview(request, location)
        }
        return await relays.counting { await relayed(name, in: account, of: drive) }
    }

    private func relayed(_ name: String, in account: PublicKey, of drive: ShadowDriveService) async -> ServerResponse {
        let response: HTTPResponse
        do throws(DriveError) { response = try await drive.open(name, in: account) } catch {
            switch error {
            case .noSuchFile, .file(.badName): return Self.noSuchFile
            case .connectivity: return .problem(504, "connectivity", "the file cannot be loaded now")
            default: return .problem(502, "invalidData", "the server does not give the file")
            }
        }
        // The page's own site must never display files of others, so the browser saves them.
        // A name that is not what it looks like is saved as one that is.
        let saved = FileLocation.encode(name.harmless).replacingExactly("'", with: "%27")
        let disposition = "attachment; filename*=UTF-8''\(saved)"
        return ServerResponse(
            relaying: response, as: .file, keeping: ["Last-Modified"], headers: ["Content-Disposition": disposition])
    }
}
