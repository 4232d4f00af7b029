import { address, request } from "./api.js";
import { ScreenStream } from "./stream.js";
import { toast } from "./components/toast.js";
import { t } from "./i18n.js";

/**
 * A screen whose model lives in the server: it draws the states that arrive and sends intents back.
 * Subclasses make `element` and implement `render(state)`.
 */
export class ModelScreen {
  state = null;
  scroll = 0;
  #name;
  #query;
  #stream;

  constructor(name, query = {}) {
    this.#name = name;
    this.#query = query;
    this.#stream = new ScreenStream(`/api/screens/${name}/events`, query, {
      // A server that started anew has new models: they too must hear that they are looked at.
      onOpen: () => this.send("appear"),
      onState: (state) => {
        const before = this.state;
        this.state = state;
        this.render(state, before);
      },
    });
  }

  show() {
    document.addEventListener("aquifer:language", this.#language);
    this.#stream.open();
  }

  hide() {
    document.removeEventListener("aquifer:language", this.#language);
    this.#stream.close();
  }

  async send(intent) {
    try {
      await request("POST", address(`/api/screens/${this.#name}/intents`, this.#query), { intent });
    } catch (error) {
      // A server that is gone is shown by the stream, for the whole page.
      if (error.status !== 0 && error.status !== 401) toast(t("error.request"), "danger");
    }
  }

  reload() {
    return this.send("refresh");
  }

  dismiss() {
    if (!this.state?.error) return false;
    this.send("dismissError");
    return true;
  }

  #language = () => {
    if (this.state) this.render(this.state, this.state);
    this.#stream.reopen();
  };
}
