import Aquifer

/// The price of storage that the user saw and confirmed.
public enum ShownPrice: Sendable, Hashable {
    /// The page showed this cost in shades.
    case shades(UInt64)
    /// The page showed that the price is not known.
    case unknown

    /// The cost in shades; `nil` if no price was shown.
    public var cost: UInt64? { if case .shades(let shades) = self { shades } else { nil } }

    /// Checks that storage still costs what the user confirmed.
    ///
    /// - Parameter now: the cost in shades; `nil` if it is not known.
    /// - Throws: ``DriveError/priceChanged(cost:)``.
    func check(_ now: UInt64?) throws(DriveError) {
        guard now == cost else { throw .priceChanged(cost: now) }
    }
}

extension DriveError {
    /// True if the price is not the one that the user confirmed.
    package var isPriceChanged: Bool { if case .priceChanged = self { true } else { false } }
}

extension ShadowDriveService {
    /// The prices right before storage is paid for; `nil` if they are not known and the user confirmed none.
    ///
    /// - Throws: the error of the request, if the user confirmed a price: what cannot be compared is not paid.
    func storageConfig(before price: ShownPrice) async throws(DriveError) -> StorageConfig? {
        do throws(DriveError) { return try await storageConfig() } catch {
            guard price == .unknown, error != .cancelled else { throw error }
            return nil
        }
    }
}
