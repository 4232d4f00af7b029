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
        #expect(length.nextMove() == .waiting(forOthers: LogLength.shortWait))
    }

    @Test func aReaderThatStaysLetsAWriterWaitMoreAndMoreRarely() {
        var length = LogLength()
        var waits: [Int] = []
        for pages in 1...32_000 {
            length.written(pages)
            length.moved(pages)  // and the log goes on
            if length.nextMove() != .later { waits.append(pages) }
        }
        #expect(waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000])
        length.written(1)
        length.written(1_000)
        length.moved(1_000)
        #expect(length.nextMove() == .waiting(forOthers: LogLength.shortWait), "a log that began anew is as at first")
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
        #expect(length.nextMove() == .waiting(forOthers: LogLength.longWait))
        length.written(4_999)
        #expect(length.nextMove() == .now)
        length.written(5_000)
        #expect(length.nextMove() == .waiting(forOthers: LogLength.longWait))
        length.written(6_999)
        #expect(length.nextMove() == .now)
        length.written(7_000)
        #expect(length.nextMove() == .waiting(forOthers: LogLength.longWait))
    }

    @Test func aLogThatBeganAnewHasItsWholeBound() {
        var length = LogLength()
        length.written(9_000)
        #expect(length.nextMove() == .waiting(forOthers: LogLength.longWait))
        length.written(3)
        length.written(4_000)
        #expect(length.nextMove() == .waiting(forOthers: LogLength.longWait))
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
