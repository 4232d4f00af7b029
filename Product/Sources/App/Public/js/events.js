import { refusal, replicaOf } from "./api.js";
import { takeEarly } from "./early.js";
import { streamHeaders } from "./logic/early.js";
import { eventParser } from "./logic/event-parser.js";
import { authorization } from "./token.js";

/** The server says something every 15 seconds. After three times that, the connection is dead, whatever it looks like. */
const SILENCE = 45_000;

/**
 * Listens to server-sent events. Unlike `EventSource` it shows the token, and says why it ended: it resolves when the
 * server ends the stream, and rejects with an ApiError, a network error, or the reason of `signal`.
 * `headers` go with the request. `onEvent(name, text)` is called for every event, `onOpen(replica)` once before, with the name of the replica that answers.
 *
 * @param {string} url
 * @param {{ signal: AbortSignal, headers?: Record<string, string>, onOpen: (replica: string | null) => void, onEvent: (name: string, text: string) => void }} options
 */
export async function listen(url, { signal, headers = {}, onOpen, onEvent }) {
  const asked = streamHeaders(headers, authorization());
  const early = takeEarly(url, asked);
  const connection = early?.connection ?? new AbortController();
  const leave = () => connection.abort(signal.reason);
  signal.addEventListener("abort", leave);
  let timer = 0;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new Error("the server fell silent")), SILENCE);
  };
  try {
    heard();
    const response = await (early?.response ?? fetch(url, { headers: asked, cache: "no-store", signal: connection.signal }));
    if (!response.ok) throw await refusal(response);
    onOpen(replicaOf(response));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    // A page that cannot draw a state is a mistake of ours: told as one, and no end of the connection.
    const take = eventParser(onEvent, reportError);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      heard();
      take(part.value);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}
