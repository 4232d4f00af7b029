import ShadowDrive

extension DriveSession {
    /// Carries out a change. The first signal stops it, and the error reports the possible outcome.
    ///
    /// Questions on the terminal come before the change. A signal during a question ends the process, and nothing was
    /// sent.
    ///
    /// - Parameter look: the command with which the user can see the outcome.
    func untilInterrupted<Value: Sendable>(
        _ look: String, _ work: @escaping @Sendable () async throws(DriveError) -> Value
    ) async throws -> Value {
        let (result, isInterrupted) = await Interruption.ending { () async -> Result<Value, DriveError> in
            do throws(DriveError) { return .success(try await work()) } catch { return .failure(error) }
        }
        do throws(DriveError) { return try result.get() } catch {
            guard isInterrupted else { throw error }
            throw CommandError(interrupted: error, look)
        }
    }
}

extension CommandError {
    /// Creates the error of a change that was stopped by a signal.
    init(interrupted error: DriveError, _ look: String) {
        if error.isOutcomeUnknown {
            self.init(
                status: .interrupted,
                message: "interrupted, but it may have happened; \(look) shows whether it did")
        } else if error == .cancelled {
            self.init(status: .interrupted, message: "interrupted; nothing was changed")
        } else {
            self.init(error)
        }
    }
}
