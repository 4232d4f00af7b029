import { backButton } from "../components/back-button.js";
import { Form, drawReady, fieldError } from "../components/form.js";
import { icon } from "../components/icon.js";
import { phraseText } from "../components/phrase.js";
import { message } from "../components/states.js";
import { drawOnce, find, h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/**
 * One operation: its fields, and what it says with them as one types.
 *
 * @extends {ModelScreen<"foaas-preview">}
 */
export class FoaasPreviewScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/foaas/operations"));
  #text = phraseText();
  #stage = h("div", { class: "phrase-card", "data-test": "preview" }, this.#text.element);
  #why = h("div", { role: "alert" });
  #fields = h("div", { class: "phrase-fields" });
  #done = h("button", { class: "button button-primary pay-button", type: "submit", "data-test": "finish" });
  #hint = h("p", { class: "pay-safety", role: "status" });
  #form = h("form", { class: "phrase-form", novalidate: true, autocomplete: "off" }, this.#fields, this.#done, this.#hint);
  #panel = h("div", { class: "preview-panel" }, h("div", { class: "preview-side" }, this.#stage, this.#why), this.#form);
  #instead = h("div", {});
  /**
   * Made anew with the fields, which the operation has.
   *
   * @type {Form | null}
   */
  #check = null;
  #wasDone = true;
  /**
   * The fields of the operation by their names.
   *
   * @type {Map<string, HTMLInputElement>}
   */
  #inputs = new Map();
  element = h("section", { class: "screen preview-screen", "data-test": "screen-foaas-preview" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#panel, this.#instead);

  /**
   * @param {import("../shell.js").Shell} shell
   * @param {string} id
   */
  constructor(shell, id) {
    super("foaas-preview", { operation: id });
    this.shell = shell;
    this.id = id;
    this.#text.element.dataset.live = "";
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#check?.attempt();
    });
    this.render({ title: t("foaas.preview"), phase: "loading", name: null, fields: [], phrase: null, canFinish: false, done: true, palette: "ink", error: null, message: null });
  }

  get title() {
    return this.state?.title ?? t("foaas.preview");
  }

  opened() {
    super.opened();
    this.#tell();
  }

  /** The names of the fields whose last text did not arrive. */
  get #lost() {
    return [...this.#inputs.keys()].filter((name) => this.isLost(`edit ${name}`));
  }

  /** Says again what did not arrive. */
  #tell() {
    for (const name of this.#lost) this.#say(name);
  }

  /** @param {string} name */
  #say(name) {
    this.send("edit", { field: name, value: this.#inputs.get(name)?.value ?? "" }, `edit ${name}`);
  }

  hide() {
    super.hide();
    this.#check?.reset();
    this.shell.busy(this, false);
  }

  /** @param {Wire.FoaasPreviewState} state */
  render(state) {
    // A message that was sent before this visit is not announced again.
    if (state.done && !this.#wasDone) {
      this.#wasDone = true;
      return this.shell.go("/foaas");
    }
    this.#wasDone = state.done;
    this.element.dataset.palette = state.palette;
    setText(this.#title, state.title);
    this.shell.busy(this, state.phase === "loading");
    this.#text.draw(state.phrase);
    this.#stage.hidden = state.phase === "failed";
    keyed(this.#fields, state.fields, (field) => field.field, (field) => this.#field(field), (row, field) => row.draw(field));
    this.#makeCheck(state);
    drawReady(this.#done, state.canFinish);
    drawOnce(this.#done, () => [icon("check"), t("foaas.done")]);
    setText(this.#hint, state.message ?? (state.phase === "ready" && !state.canFinish ? t("foaas.fill") : ""));
    replaceWhen(this.#why, state.error ? state.error.message : "", () => state.error && h("div", { class: "notice preview-why", "data-test": "preview-failed" },
      icon(state.error.kind === "connectivity" ? "offline" : "alert"), h("span", {}, state.error.message),
      h("button", { class: "button", type: "button", "data-test": "preview-retry", onclick: () => this.send("retry") }, t("retry"))));
    const isMissing = state.phase === "missing";
    const isLost = state.phase === "failed" && !state.name;
    this.#form.hidden = isLost;
    this.#panel.hidden = isMissing;
    replaceWhen(this.#instead, isMissing ? "missing" : "", () => isMissing && message({ glyph: "phrase", title: t("foaas.missing.title"), text: t("foaas.missing.text"),
      test: "preview-missing", action: { title: t("foaas.operations"), run: () => this.shell.go("/foaas/operations") } }));
    this.#check?.answered();
  }

  settled() {
    this.#check?.answered();
  }

  /** @param {Wire.FoaasPreviewState} state */
  #makeCheck({ fields, phase }) {
    if (this.#check || (fields.length === 0 && phase !== "ready")) return;
    const parts = [...this.#fields.querySelectorAll(".field")].flatMap((row) => {
      const [input, error] = [row.querySelector("input"), row.querySelector("p")];
      return input && error ? [{ input, error, problem: () => (input.value.trim() === "" ? t("foaas.field.empty") : "") }] : [];
    });
    this.#check = new Form(parts, {
      isHeard: () => this.isSettled && this.#lost.length === 0, tell: () => this.#tell(), isReady: () => Boolean(this.state?.canFinish), send: () => this.send("finish"),
    });
  }

  /** @param {Wire.FoaasPreviewField} field */
  #field(field) {
    const id = `foaas-${field.field}`;
    const label = h("label", { class: "field-label", for: id });
    const input = h("input", { id, class: "field-input", type: "text", dir: "auto", autocapitalize: "sentences", enterkeyhint: "next", "data-kept": true, "data-test": `field-${field.field}` });
    const error = fieldError(`${id}-error`, `field-${field.field}-error`);
    input.setAttribute("aria-describedby", error.id);
    const row = h("div", { class: "field" }, label, h("div", { class: "field-box" }, input), error);
    input.value = field.value;
    this.#inputs.set(field.field, input);
    input.addEventListener("input", () => this.#say(field.field));
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      const next = find(row.nextElementSibling, "input");
      if (next) next.focus();
      else this.#check?.attempt();
    });
    /** @param {Wire.FoaasPreviewField} now */
    const draw = ({ name, value }) => {
      setText(label, name ?? "");
      if (this.isSettled && !this.isLost(`edit ${field.field}`) && document.activeElement !== input) input.value = value;
    };
    return Object.assign(row, { draw });
  }
}
