import Aquifer
import AquiferFoundation

extension FeedItem {
    /// A smaller form of the picture, for places that need fewer pixels.
    public struct Variant: Sendable, Hashable {
        /// The address of this form: `http` or `https`. It is parsed each time it is asked for.
        public var url: URL { address.url }
        let address: LazyURL
        /// The width in pixels, from 1 to 100,000.
        public let width: Int

        /// A form of a picture; `nil` if the width is not from 1 to 100,000 pixels.
        public init?(_ url: URL, width: Int) {
            self.init(address: LazyURL(url), width: width)
        }

        init?(address: LazyURL, width: Int) {
            guard Size.sides.contains(width) else { return nil }
            (self.address, self.width) = (address, width)
        }
    }

    /// The address of the picture for a place of this width: the smallest variant that has as many pixels, else ``image``.
    public func image(forWidth pixels: Int) -> URL {
        variants.first { $0.width >= pixels }?.url ?? image
    }
}

extension DataLoader {
    /// The picture of an item for a place of this width.
    ///
    /// - A saved form that is as large or larger is delivered without a request.
    /// - Otherwise ``FeedItem/image(forWidth:)`` is loaded. If the answer is no picture, or none that this user may have, the next
    ///   larger form is loaded, and ``FeedItem/image`` at last: one broken form says nothing about the others.
    /// - If the server gives no answer, the largest saved form stands in. An answer that denies the picture itself stays a denial.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - width: the width of the place in pixels; by default, the whole picture is wanted.
    /// - Throws: `LoadError` when neither the form wanted nor another one can be had.
    public func picture(of item: FeedItem, width: Int = .max) async throws(LoadError) -> Loaded<Data> {
        let larger = item.variants.filter { $0.width >= width }.map(\.url) + [item.image]
        for url in larger {
            if let saved = await saved(for: url) { return saved }
        }
        do throws(LoadError) { return try await first(of: larger[...]) } catch {
            guard FallbackPolicy.standard.allows(error) else { throw error }
            for variant in item.variants.reversed() where variant.width < width {
                guard let saved = await saved(for: variant.url), let date = saved.savedAt else { continue }
                return Loaded(saved.value, source: .cache(savedAt: date, because: error), savedAt: date)
            }
            throw error
        }
    }

    /// The first of these forms that the server answers with a picture. There is at least one.
    ///
    /// - Throws: the error of the last form that was asked for. Without an answer the other ones are not asked for.
    private func first(of forms: ArraySlice<URL>) async throws(LoadError) -> Loaded<Data> {
        do throws(LoadError) { return try await data(for: forms[forms.startIndex]) } catch {
            let others = forms.dropFirst()
            guard error.reason == .invalidData, !others.isEmpty else { throw error }
            return try await first(of: others)
        }
    }
}
