import Testing

@testable import AquiferSQLite

/// When the pages of SQLite's log are moved into its file.
struct LogLengthTests {
    @Test func aShortLogIsMovedAfterTheBurst() {
        var length = LogLength()
        length.written(999)
        #expect(length.nextMove() == .later)
    }

    @Test func aLongLogIsMovedBesideTheWriter() {
        var length = LogLength()
        length.written(1_000)
        #expect(length.nextMove() == .now)
    }

    @Test func pagesThatAreMovedStartNoOtherMove() {
        var length = LogLength()
        length.written(1_000)
        length.moved(1_000)
        // Each write finds pages that are not moved yet, so that the log goes on.
        for pages in 1_004..<2_000 {
            length.written(pages)
            #expect(length.nextMove() == .later)
        }
        length.written(2_000)
        #expect(length.nextMove() == .now)
    }

    @Test func aWriterWaitsForTheMoveOfALogThatHasBecomeTooLong() {
        var length = LogLength()
        length.written(3_999)
        length.moved(3_999)
        #expect(length.nextMove() == .later)
        length.written(4_000)
        #expect(length.nextMove() == .waiting)
        length.moved(4_000)
        // Somebody reads from the log, so that it goes on. Not each write waits for the reader.
        length.written(4_999)
        #expect(length.nextMove() == .later)
        length.written(5_000)
        #expect(length.nextMove() == .waiting)
    }

    @Test func aLogThatBeganAnewHasItsWholeBound() {
        var length = LogLength()
        length.written(9_000)
        #expect(length.nextMove() == .waiting)
        length.written(3)
        length.written(4_000)
        #expect(length.nextMove() == .waiting)
    }

    @Test func aLogThatBeganAnewHasNothingMoved() {
        var length = LogLength()
        length.written(3_000)
        length.moved(3_000)
        length.written(1_000)
        #expect(length.nextMove() == .now)
    }

    @Test func aMoveThatEndsAfterAShorterLogBeganCountsItsPagesOnly() {
        var length = LogLength()
        length.written(3_000)
        length.written(4)
        length.moved(3_000)
        length.written(1_003)
        #expect(length.nextMove() == .later)
        length.written(1_004)
        #expect(length.nextMove() == .now)
    }
}
