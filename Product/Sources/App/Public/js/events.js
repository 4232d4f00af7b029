import { fetchOwn, refusal } from "./api.js";

/** The server says something every 15 seconds. After three times that, the connection is dead, whatever it looks like. */
const SILENCE = 45_000;

/**
 * Listens to server-sent events. Unlike `EventSource` it shows the token, and says why it ended: it resolves when the
 * server ends the stream, and rejects with an ApiError, a network error, or the reason of `signal`.
 * `onEvent(name, text)` is called for every event, `onOpen()` once before.
 */
export async function listen(url, { signal, onOpen, onEvent }) {
  const connection = new AbortController();
  const leave = () => connection.abort(signal.reason);
  signal.addEventListener("abort", leave);
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new Error("the server fell silent")), SILENCE);
  };
  try {
    heard();
    const response = await fetchOwn(url, { headers: { Accept: "text/event-stream" }, cache: "no-store", signal: connection.signal });
    if (!response.ok) throw await refusal(response);
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const take = parser(onEvent);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard();
      take(part.value);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}

/** Takes the stream apart, piece by piece: `event:` and `data:` lines, and an empty one that ends the event. */
function parser(onEvent) {
  let [rest, name, data] = ["", "message", []];
  const tell = (event, text) => {
    try {
      onEvent(event, text);
    } catch (error) {
      // A page that cannot draw a state is a mistake of ours: told as one, and no end of the connection.
      reportError(error);
    }
  };
  return (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) tell(name, data.join("\n"));
        [name, data] = ["message", []];
      } else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data.push(line.slice(6));
    }
  };
}
