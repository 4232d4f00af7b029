/**
 * Takes a stream of server-sent events apart, piece by piece: `event:` and `data:` lines, and an empty one that ends the
 * event. An error of `onEvent` goes to `onError`, and the next event is told all the same.
 *
 * @param {(name: string, text: string) => void} onEvent
 * @param {(error: unknown) => void} onError
 * @returns {(piece: string) => void}
 */
export function eventParser(onEvent, onError) {
  let rest = "";
  let name = "message";
  /** @type {string[]} */
  let data = [];
  const tell = () => {
    try {
      onEvent(name, data.join("\n"));
    } catch (error) {
      onError(error);
    }
  };
  return (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) tell();
        [name, data] = ["message", []];
      } else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data.push(line.slice(6));
    }
  };
}
