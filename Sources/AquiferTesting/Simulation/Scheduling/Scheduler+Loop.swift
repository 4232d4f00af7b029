extension Scheduler {
    // MARK: The loop

    func conduct(_ me: Worker) {
        while true {
            guard let entry = next() else {
                if parked == 0 {
                    if me === first { return }
                    hand(to: first, from: me)
                    continue
                }
                fatalError("A simulation has lost a job that waits.")
            }
            current = entry.life
            switch entry.work {
            case .job(let job):
                job()
                advance(entry.turns)
            case .parked(let worker):
                hand(to: worker, from: me)
            }
            current = world
        }
    }

    func hand(to worker: Worker, from me: Worker) {
        spare.append(me)
        spare.removeAll { $0 === worker }
        holder = worker
        worker.wake()
        me.wait()
    }

    /// The next job; `nil` when the run is over.
    func next() -> Entry? {
        if isOver { return ready.popLast() }
        steps += 1
        // No step takes no time: who waits for a moment that is too short for a date to show must not wait for ever.
        now += 1000
        if steps > limits.steps {
            fail("\(limits.steps) steps were not enough; \(standing)")
            return next()
        }
        faults?.beforeStep()
        while true {
            while let alarm = alarms.take(until: now) {
                if alarm.life.isStopped {
                    alarm.life.heldAlarms.append(alarm)
                } else {
                    asLife(alarm.life) { alarm.ring() }
                }
            }
            if isOver { return ready.popLast() }
            if !ready.isEmpty { break }
            guard let due = alarms.next() else {
                fail("nothing is ready and nobody sleeps; \(standing)")
                return next()
            }
            now = max(now, due)
            if now > limits.time.nanoseconds {
                fail("\(limits.time) of simulated time were not enough; \(standing)")
                return next()
            }
        }
        let (place, count) = (Int(numbers.next() % UInt64(ready.count)), ready.count)
        ready.swapAt(place, count - 1)
        guard let entry = ready.popLast() else { return nil }
        trace.mix(UInt64(place) << 32 | UInt64(count))
        trace.mix(UInt64(bitPattern: now))
        if trace.isKept { trace.step(steps, entry.kind, of: count, at: now, by: entry.life) }
        return entry
    }

    // MARK: Waiting in the middle of a job

    /// Lets others run for at least this long, in the middle of a job. Returns at once when the process is dead.
    func pause(_ duration: Duration) {
        let life = current
        guard life.isAlive, !isOver, holder.isRunning else { return }
        let me = holder
        if duration == .zero {
            makeReady(Entry(life: life, work: .parked(me)))
        } else {
            asleep.append((life, me))
            ring(after: duration, as: life) { [self] in
                asleep.removeAll { $0.worker === me }
                makeReady(Entry(life: life, work: .parked(me)))
            }
        }
        parked += 1
        let next = spare.popLast() ?? Worker { [self] in conduct($0) }
        holder = next
        next.wake()
        me.wait()
        parked -= 1
        current = life
    }
}
