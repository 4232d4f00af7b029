import { backButton } from "../components/back-button.js";
import { errorBanner } from "../components/states.js";
import { h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/**
 * The settings of phrases.
 *
 * @extends {ModelScreen<"foaas-settings">}
 */
export class FoaasSettingsScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/foaas"));
  #alert = h("div", { role: "alert" });
  /** @type {HTMLButtonElement} */
  #switch = h("button", { class: "switch", type: "button", role: "switch", id: "foaas-filter", "data-test": "filter",
    onclick: () => this.send("filter", { on: String(this.#switch.getAttribute("aria-checked") !== "true") }) }, h("span", { class: "switch-knob" }));
  #label = h("label", { class: "setting-name", for: "foaas-filter" });
  #text = h("p", { class: "setting-text" });
  #example = h("p", { class: "setting-example", lang: "en", "aria-live": "polite", "data-test": "example" });
  #palettesTitle = h("legend", { class: "setting-name" });
  #palettes = h("div", { class: "swatches" });
  /**
   * The palette that was chosen here, until the model says so.
   *
   * @type {string | null}
   */
  #wanted = null;
  /** Hidden until the model says what is chosen. */
  #choices = h("div", { hidden: true },
    h("div", { class: "setting-card" }, h("div", { class: "setting-row" }, this.#label, this.#switch), this.#text, this.#example),
    h("fieldset", { class: "setting-card" }, this.#palettesTitle, this.#palettes));
  element = h("section", { class: "screen foaas-settings-screen", "data-test": "screen-foaas-settings" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#alert,
    this.#choices);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("foaas-settings");
    this.shell = shell;
    setText(this.#title, t("foaas.settings"));
  }

  get title() {
    return this.state?.title ?? t("foaas.settings");
  }

  /** @param {Wire.FoaasSettingsState} state */
  render(state) {
    setText(this.#title, state.title);
    replaceWhen(this.#alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    setText(this.#label, t("foaas.filter"));
    setText(this.#text, t("foaas.filter.text"));
    this.#switch.setAttribute("aria-checked", String(state.filter));
    setText(this.#example, `“${state.example.after}”`);
    setText(this.#palettesTitle, t("foaas.palette"));
    if (state.error || state.palettes.some(({ name, isChosen }) => isChosen && name === this.#wanted)) this.#wanted = null;
    keyed(this.#palettes, state.palettes, (palette) => palette.name, (palette) => this.#swatch(palette), (swatch, palette) => swatch.draw(palette));
    this.#choices.hidden = false;
  }

  /** @param {Wire.FoaasSettingsPalette} palette */
  #swatch({ name }) {
    const id = `palette-${name}`;
    const input = h("input", { class: "swatch-input", type: "radio", name: "palette", id, value: name, "data-test": id, onchange: () => this.#choose(name) });
    const title = h("span", { class: "swatch-title" });
    const swatch = h("label", { class: "swatch", for: id, "data-palette": name }, input, h("span", { class: "swatch-face", "aria-hidden": "true" }, "Aa"), title);
    /** @param {Wire.FoaasSettingsPalette} palette */
    const draw = (palette) => {
      setText(title, palette.title);
      input.checked = this.#wanted ? name === this.#wanted : palette.isChosen;
    };
    return Object.assign(swatch, { draw });
  }

  /** @param {string} name */
  async #choose(name) {
    this.#wanted = name;
    if (await this.send("palette", { name }, "palette")) return;
    this.#wanted = null;
    if (this.state) this.render(this.state);
  }
}
