import AquiferFoundation

/// The steps that the server takes as one. All keys are arguments, but they lie in several slots: Redis Cluster would refuse them, unless the
/// prefix has a hash tag (`{aquifer}`), which keeps all of them on one of its machines.
enum Script: String, CaseIterable, Sendable {
    /// Writes an entry, if it is as it was seen.
    ///
    /// Keys: the generation of its part, the entry; of a large one also where its value is already, since the language of scripts reads each
    /// byte of an argument. Arguments: the generation that the value has, a new one, the value or only its head, the head that was seen (empty:
    /// any; "-": none), the milliseconds until it expires (0: never), the channel, the message.
    ///
    /// Returns 1 if it was written, 0 if it was not as seen, the generation if that is another one, or 2 if the server has forgotten the value
    /// already.
    case write = """
        local g = redis.call('GET', KEYS[1])
        if g ~= ARGV[1] then
          if not g then g = ARGV[2]; redis.call('SET', KEYS[1], g) end
          return g
        end
        if ARGV[4] ~= '' then
          local head = redis.call('GETRANGE', KEYS[2], 0, 39)
          if head == string.sub(ARGV[3], 1, 40) then return 1 end
          if ARGV[4] == '-' then
            if string.sub(head, 1, 16) == g then return 0 end
          elseif head ~= ARGV[4] then return 0 end
        end
        if KEYS[3] then
          if redis.call('EXISTS', KEYS[3]) == 0 then return 2 end
          redis.call('RENAME', KEYS[3], KEYS[2])
          if ARGV[5] == '0' then redis.call('PERSIST', KEYS[2])
          else redis.call('PEXPIRE', KEYS[2], ARGV[5]) end
        elseif ARGV[5] == '0' then redis.call('SET', KEYS[2], ARGV[3])
        else redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[5]) end
        redis.call('PUBLISH', ARGV[6], ARGV[7])
        return 1
        """

    /// Makes several writes, or none.
    ///
    /// Keys: of each write the generation of its part and the entry, and then the places of the large values, which are there already. Arguments: the
    /// milliseconds until entries expire (0: never), the channel, the number of writes; of each write the generation that its value has, a new
    /// one, the head that was seen (empty: any; "-": none), and what to write: the value, its head before a place ("@"), nothing ("") or a
    /// deletion ("-"); then the messages.
    ///
    /// Returns 1 if all were made, 2 if the server has forgotten a value, or a list: of numbers, the writes that were not as seen; of texts, the
    /// generations of all writes, of which one is another one.
    case commit = """
        local count = tonumber(ARGV[3])
        local generations, refused, isOther, isMade, isDone = {}, {}, false, false, true
        for i = 1, count do
          local a = i * 4
          local g = redis.call('GET', KEYS[2 * i - 1])
          if not g and string.len(ARGV[a + 3]) > 1 then
            g = ARGV[a + 1]
            redis.call('SET', KEYS[2 * i - 1], g)
          end
          generations[i] = g or ''
          if string.len(ARGV[a + 3]) > 1 then
            if g ~= ARGV[a] then isOther = true end
            isMade = true
            if redis.call('GETRANGE', KEYS[2 * i], 0, 39) ~= string.sub(ARGV[a + 3], 1, 40) then isDone = false end
          end
        end
        if isOther then return generations end
        if isMade and isDone then return 1 end
        for i = 1, count do
          local seen = ARGV[i * 4 + 2]
          if seen ~= '' then
            local head = redis.call('GETRANGE', KEYS[2 * i], 0, 39)
            local exists = head ~= '' and string.sub(head, 1, 16) == generations[i]
            if seen == '-' then
              if exists then refused[#refused + 1] = i end
            elseif not exists or head ~= seen then refused[#refused + 1] = i end
          end
        end
        if #refused > 0 then return refused end
        for i = 2 * count + 1, #KEYS do
          if redis.call('EXISTS', KEYS[i]) == 0 then return 2 end
        end
        local place = 2 * count
        for i = 1, count do
          local value = ARGV[i * 4 + 3]
          if string.len(value) > 1 then
            if string.len(value) == 41 then
              place = place + 1
              redis.call('RENAME', KEYS[place], KEYS[2 * i])
              if ARGV[1] == '0' then redis.call('PERSIST', KEYS[2 * i]) else redis.call('PEXPIRE', KEYS[2 * i], ARGV[1]) end
            elseif ARGV[1] == '0' then redis.call('SET', KEYS[2 * i], value)
            else redis.call('SET', KEYS[2 * i], value, 'PX', ARGV[1]) end
          end
        end
        for i = 1, count do
          if ARGV[i * 4 + 3] == '-' then redis.call('DEL', KEYS[2 * i]) end
        end
        for i = count * 4 + 4, #ARGV do redis.call('PUBLISH', ARGV[2], ARGV[i]) end
        return 1
        """

    /// Deletes an entry, if it is as it was seen.
    ///
    /// Keys: the entry. Arguments: the head that was seen (empty: any), the channel, the message. Returns 1 if it was deleted.
    case delete = """
        local head = redis.call('GETRANGE', KEYS[1], 0, 39)
        if ARGV[1] ~= '' and head ~= ARGV[1] then return 0 end
        if redis.call('DEL', KEYS[1]) == 0 then return 0 end
        redis.call('PUBLISH', ARGV[2], ARGV[3])
        return 1
        """

    /// Ends a generation: nobody reads its entries any more.
    ///
    /// Keys: the generation. Arguments: the channel, the message. Returns 1 if there was one.
    case end = """
        if redis.call('DEL', KEYS[1]) == 0 then return 0 end
        redis.call('PUBLISH', ARGV[1], ARGV[2])
        return 1
        """

    /// The lengths and the beginnings of entries.
    case heads = """
        local heads = {}
        for i, key in ipairs(KEYS) do
          heads[i] = {redis.call('STRLEN', key), redis.call('GETRANGE', key, 0, 1023)}
        end
        return heads
        """

    /// Takes a lease if it is free.
    ///
    /// Keys: the lease, the last number, the number of the last load that was saved. Arguments: a token of the caller, the milliseconds, the first
    /// load that is as good as a lease (empty: none is). Returns 0 (granted), 1 (held) or 2 (saved), and the number.
    ///
    /// The value of a lease is its number, the time until which it lasts in microseconds of the server's clock, the microseconds that it was given
    /// for, and its token. It is kept for an hour longer, so that a holder whose time has passed can renew it as long as nobody else has taken it.
    /// A lease that would last for longer than it was given for is over: the clock was set back. A number is the server's time, or more: also after
    /// the server has forgotten all of them it is greater, unless its clock was set back, too.
    case takeLease = """
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local saved = tonumber(redis.call('GET', KEYS[3]) or '0')
        local number, last, span, token = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+) (%d+) (.*)$')
        local held = number and tonumber(last) > now and tonumber(last) - now <= tonumber(span)
        if held and token == ARGV[1] then return {0, tonumber(number)} end
        if ARGV[3] ~= '' and saved >= tonumber(ARGV[3]) then return {2, saved} end
        if held then return {1, tonumber(number)} end
        number = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, now)
        local text = string.format('%.0f', number)
        redis.call('SET', KEYS[2], text)
        local value = string.format('%.0f %.0f %.0f %s', number, now + ARGV[2] * 1000, ARGV[2] * 1000, ARGV[1])
        redis.call('SET', KEYS[1], value, 'PX', ARGV[2] + 3600000)
        return {0, number}
        """

    /// Lets a lease last. Keys: the lease. Arguments: its number, the milliseconds. Returns 1 if nobody else has taken it, and it was not ended.
    case renewLease = """
        local number, last, span, token = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+) (%d+) (.*)$')
        if number ~= ARGV[1] then return 0 end
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local value = string.format('%s %.0f %.0f %s', number, now + ARGV[2] * 1000, ARGV[2] * 1000, token)
        redis.call('SET', KEYS[1], value, 'PX', ARGV[2] + 3600000)
        return 1
        """

    /// Ends a lease. Keys: the lease, the number of the last load that was saved. Arguments: its number, 1 if its load was saved, the channel, the
    /// message. Returns 1 if it was held. It ends also on a full server, which cannot keep the number of the load.
    case endLease = """
        local held = redis.call('GET', KEYS[1])
        if not held or string.match(held, '^%d+') ~= ARGV[1] then return 0 end
        redis.call('DEL', KEYS[1])
        if ARGV[2] == '1' then redis.pcall('SET', KEYS[2], ARGV[1], 'PX', 3600000) end
        redis.call('PUBLISH', ARGV[3], ARGV[4])
        return 1
        """

    /// The name under which the server keeps it: the SHA-1 of its text.
    var name: String {
        switch self {
        case .write: "61b35555dacdb896a9c737c55c603d702cd53265"
        case .commit: "1708fbf3a2fa3b6c4a49e5c9779e2e6ece57c8c0"
        case .delete: "bcc9ca22f1186abdbb677e92f86cd806832dc46c"
        case .end: "7b8ff4158168851039dfc2d1bd573fd89241f015"
        case .takeLease: "721a323011a7f8c6d968519c61c9876e6709d6fe"
        case .renewLease: "0f291fb8ba0e330ae2340b0ff52dd17c58a7e41a"
        case .endLease: "c8bcd2440b148a5d551834e340c6a33431136100"
        case .heads: "4d54c9b254b2b97d603b1524ecbc3c9a49ec7b8a"
        }
    }

    func command(keys: [Command.Word], _ arguments: [Command.Word]) -> Command {
        command("EVALSHA", name, keys, arguments)
    }

    /// The command for a server that has forgotten the script.
    func wholeCommand(keys: [Command.Word], _ arguments: [Command.Word]) -> Command {
        command("EVAL", rawValue, keys, arguments)
    }

    private func command(
        _ verb: String, _ script: String, _ keys: [Command.Word], _ arguments: [Command.Word]
    ) -> Command {
        Command([.text(verb), .text(script), .text("\(keys.count)")] + keys + arguments)
    }
}
