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
        length.written(1_300)
        length.moved(1_000)
        for pages in 1_300..<2_000 {
            length.written(pages)
            #expect(length.nextMove() == .later)
        }
        length.written(2_000)
        #expect(length.nextMove() == .now)
    }

    @Test func aWriterWaitsForTheLittleThatIsLeftOfALongLog() {
        var length = LogLength()
        length.written(1_250)
        length.moved(1_000)
        #expect(length.nextMove() == .waiting)
        // Somebody reads from the log, so that it goes on. Not each write waits for the reader.
        length.moved(1_250)
        length.written(2_249)
        #expect(length.nextMove() == .later)
        length.moved(2_249)
        length.written(2_250)
        #expect(length.nextMove() == .waiting)
    }

    @Test func aShortLogOfWhichAllIsMovedIsNotWaitedFor() {
        var length = LogLength()
        length.written(990)
        length.moved(990)
        length.written(999)
        #expect(length.nextMove() == .later)
    }

    @Test func aWriterWaitsForTheMoveOfALogThatHasBecomeTooLong() {
        var length = LogLength()
        length.written(3_999)
        length.moved(3_600)
        #expect(length.nextMove() == .later)
        length.written(4_000)
        #expect(length.nextMove() == .waiting)
        length.written(4_999)
        #expect(length.nextMove() == .now)
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
        length.written(999)
        #expect(length.nextMove() == .later)
        length.written(1_004)
        #expect(length.nextMove() == .now)
    }
}
