import Aquifer

extension AccountModel {
    /// An upload, under way or ended.
    public struct Upload: Sendable, Hashable {
        /// The progress of the upload.
        public var progress: UploadProgress
        /// The outcomes of the files that have finished. They are in the given order once all files have finished.
        public var results: [UploadResult]
        /// True if the upload has ended.
        public var isDone: Bool
        /// The used bytes before it; `nil` if it replaces files, which make room.
        var usedBefore: UInt64?
    }
}
