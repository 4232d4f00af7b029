import AquiferConcurrency
import Foundation
import HTTPServer

@testable import ReferenceAPIs

extension FuzzTarget {
    /// The requests that the reference remotes read.
    static let servers: [FuzzTarget] = [
        .now("orders") { data in
            guard let order = try? PaymentOrder(json: data) else { return }
            try promise(order.cents > 0 && order.cents <= PaymentOrder.largestAmount, "an amount is out of bounds")
            try promise((12...19).contains(order.cardNumber.utf8.count), "a card's number is too long")
            try promise(order.cardNumber.hasSuffix(order.lastFour) && order.lastFour.count == 4, "other digits")
            _ = order.isApproved
        },
        .later("drive-requests") { data in
            var input = FuzzInput(data)
            let path = paths[Int(input.byte()) % paths.count]
            let headers: HTTPHeaders =
                ["upload", "edit"].contains(path)
                ? ["Content-Type": "multipart/form-data; boundary=B"] : ["Content-Type": "application/json"]
            let answer = await driveHandler(ServerRequest(.post, "/drive/\(path)", headers: headers, body: input.rest))
            try promise(answer.status < 500, "the server failed with \(answer.status)")
        },
        .now("durations") { data in
            guard let kind = AudioKind(firstBytes: data), kind == .mp3 || kind == .wav else { return }
            let file = sound
            try data.write(to: file)
            guard let seconds = try AudioDuration.seconds(of: file, kind) else { return }
            try promise(seconds >= 0 && seconds.isFinite, "a duration is none")
        },
    ]

    /// The kind of a sound, by the server's reading.
    static func serverKind(_ data: Data) -> String? { AudioKind(firstBytes: data)?.rawValue }

    private static let paths = [
        "rpc", "storage-account", "storage-account-info", "upload", "edit", "list-objects", "list-objects-and-sizes",
        "get-object-data", "delete-file", "add-storage", "reduce-storage", "make-immutable",
    ]

    private static let driveHandler = ReferenceDrive(
        store: DriveStore(folder: Scratch.folder.appending(path: "drive")),
        now: { Date(timeIntervalSince1970: 1_800_000_000) }
    ).handler

    private static let sound = Scratch.folder.appending(path: "sound")
}
