import AquiferFoundation

/// The parts of the form.
extension AudioComposeModel {
    /// A file that was chosen.
    public struct File: Sendable, Hashable {
        /// The place of the file.
        public let url: URL
        /// The name of the file.
        public let name: String
        /// The length of the file in bytes.
        public let size: UInt64

        /// A file.
        public init(url: URL, name: String, size: UInt64) { (self.url, self.name, self.size) = (url, name, size) }
    }

    /// The form, for whoever goes on with it elsewhere.
    public struct Form: Sendable, Hashable {
        /// The title as typed.
        public var title: String
        /// The file, if one was chosen.
        public var file: File?
        /// The key of a post that was begun: with it, the clip is posted once.
        public var key: String?
        /// The author as typed; `nil` if that is not known.
        public var author: String?
        /// True if the clip is on its way, as far as is known.
        public var isBeingSent: Bool

        /// A form.
        public init(title: String, file: File?, key: String?, author: String? = nil, isBeingSent: Bool = false) {
            (self.title, self.file, self.key) = (title, file, key)
            (self.author, self.isBeingSent) = (author, isBeingSent)
        }
    }
}
