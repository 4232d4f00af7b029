import Aquifer
import Foundation
import Observation

/// The screen that makes a storage account: name, size, what it costs, and what became of it.
///
/// Nothing is sent before both fields are right, and never twice: while an account is being made, ``create()`` does
/// nothing.
@MainActor @Observable
public final class CreateAccountModel {
    /// What the screen shows.
    public enum Phase: Sendable, Hashable {
        /// The fields.
        case editing
        /// The account is being made.
        case creating(CreationStep)
        /// It was made.
        case created(CreatedAccount)
        /// It was not, or it is not known: see ``DriveError/outcomeUnknown(because:)``.
        case failed(DriveError)
    }

    /// What the screen shows.
    public private(set) var phase: Phase = .editing
    /// The name as typed.
    public private(set) var name = ""
    /// The size as typed.
    public private(set) var sizeText = ""
    /// What is wrong with the name; said from the first change on.
    public private(set) var nameError: LimitError?
    /// What is wrong with the size; said from the first change on.
    public private(set) var sizeError: StorageSizeError?
    /// The size in bytes, if it is one.
    public private(set) var size: UInt64?
    /// The prices; `nil` as long as they are not known.
    public private(set) var config: StorageConfig?

    /// What the size costs, in shades; `nil` if size or prices are not known.
    public var cost: UInt64? {
        guard let size, let config else { return nil }
        return config.cost(ofBytes: size)
    }
    /// Whether there is no key to sign with.
    public var needsKey: Bool { service.owner == nil }
    /// Whether both fields are right and nothing is under way.
    public var canCreate: Bool {
        if case .creating = phase { return false }
        if case .created = phase { return false }
        return !needsKey && !name.isEmpty && nameError == nil && size != nil
    }

    @ObservationIgnored private let service: ShadowDriveService

    /// The screen of a service.
    public init(_ service: ShadowDriveService) {
        self.service = service
    }

    /// The screen is visible: asks for the prices, if they are not known. Without them the form works all the same.
    public func appear() async {
        guard config == nil else { return }
        config = try? await service.storageConfig()  // shown as "not known"
    }

    /// The name as typed.
    public func enter(name: String) {
        guard isOpen else { return }
        self.name = name
        do throws(LimitError) {
            try LimitError.check(name: name)
            nameError = nil
        } catch { nameError = error }
    }

    /// The size as typed: `10MB`.
    public func enter(size text: String) {
        guard isOpen else { return }
        sizeText = text
        do throws(StorageSizeError) {
            size = try StorageSize.parseAccount(text.trimmingCharacters(in: .whitespaces))
            sizeError = nil
        } catch {
            size = nil
            sizeError = error
        }
    }

    /// Makes the account, if both fields are right. Returns when it has ended.
    public func create() async {
        guard canCreate, let size else { return }
        phase = .creating(.counting)
        let name = name
        do throws(DriveError) {
            let created = try await service.createStorageAccount(name: name, size: size) { step in
                await self.show(step)
            }
            phase = .created(created)
        } catch {
            phase = error == .cancelled ? .editing : .failed(error)
        }
    }

    /// Back to the fields: empty after an account was made, as they were after a failure.
    public func again() {
        if case .creating = phase { return }
        if case .created = phase {
            (name, sizeText, size, nameError, sizeError) = ("", "", nil, nil, nil)
        }
        phase = .editing
    }

    private var isOpen: Bool {
        switch phase {
        case .editing: return true
        case .failed:
            phase = .editing
            return true
        case .creating, .created: return false
        }
    }

    private func show(_ step: CreationStep) {
        if case .creating = phase { phase = .creating(step) }
    }
}
